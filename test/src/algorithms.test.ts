/** Every algorithm of the registry in the simulator, against the contract of all. */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { onLinks, settingsOf } from './algorithm-cases.js'
import { simulatedWorld } from './worlds.js'

for (const algorithm of algorithms) testAlgorithm(test.serial, simulatedWorld, settingsOf(algorithm))
for (const each of onLinks(algorithms)) testAlgorithm(test.serial, simulatedWorld, each)
