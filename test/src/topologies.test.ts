import { testTopology } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { parseTopologyFile } from '@murmuration/files'
import { createTopology, graphKinds, graphProblems, graphSchema, type GraphKind } from '@murmuration/topology'
import test from 'ava'
import { filesUnder, textOf } from './repository.js'
import { complete } from './worlds.js'

const sizes = [1, 2, 4, 5, 9, 16]

testTopology(test, 'the contract’s own complete graph', complete('a', 'b', 'c'))
for (const file of filesUnder('topologies')) testTopology(test, file, parseTopologyFile(textOf(file), file).topology)

for (const { kind, example } of graphKinds as readonly GraphKind[]) {
  const possible = sizes.flatMap((size) => {
    const peers = Array.from({ length: size }, (_, index) => peerName(`p${index + 1}`))
    const { success, data } = graphSchema.safeParse({ kind, ...example(peers) })
    return success && graphProblems(data, undefined, peers).length === 0 ? [{ peers, graph: data }] : []
  })
  for (const each of possible) testTopology(test, `${kind} of ${each.peers.length}`, createTopology(each))
  test(`${kind} is possible for some of the sizes`, (t) => t.true(possible.length > 1))
}
