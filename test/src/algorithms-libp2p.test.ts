/** Every algorithm of the registry on libp2p, held to what all of them promise. */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { settingsOf } from './algorithm-cases.js'
import { libp2pWorld } from './worlds.js'

/** Whose steps are slow to fall; the others are at the optimum by far after 60 rounds, as the simulator shows. */
const slow = new Set(['diloco', 'relay-sgd'])

for (const algorithm of algorithms) {
  const rounds = slow.has(algorithm.name) ? 300 : 100
  testAlgorithm(test.serial, libp2pWorld, { ...settingsOf(algorithm), rounds })
}
