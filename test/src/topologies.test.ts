import { testTopology } from '@murmuration/contract'
import { parseTopologyFile } from '@murmuration/files'
import test from 'ava'
import { filesUnder, textOf } from './repository.js'
import { complete } from './worlds.js'

testTopology(test, 'the contract’s own complete graph', complete('a', 'b', 'c'))
for (const file of filesUnder('topologies')) testTopology(test, file, parseTopologyFile(textOf(file), file).topology)
