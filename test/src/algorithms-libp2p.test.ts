/** Every algorithm of the registry on libp2p, against the contract of all. */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { settingsOf } from './algorithm-cases.js'
import { libp2pWorld } from './worlds.js'

/** Algorithms that converge slowly; the others are well at the optimum after 60 rounds, as the simulator shows. */
const slow = new Set(['diloco', 'relay-sgd'])

/** Tested in full in both worlds: at least one for each way to use a fabric. For the others algorithms-parity.test.ts shows the same bits. */
const inFull = new Set([
  'dpsgd',
  'sgp',
  'gradient-tracking',
  'relay-sgd',
  'gossip-pga',
  'ad-psgd',
  'trimmed-mean',
  'local-sgd',
  'diloco',
  'all-reduce',
  'parameter-server',
  'async-parameter-server',
  'stale-synchronous',
  'parameter-services',
  'sgd'
])

for (const algorithm of algorithms) {
  const [rounds, isTestedElsewhere] = [slow.has(algorithm.name) ? 300 : 100, !inFull.has(algorithm.name)]
  testAlgorithm(test.serial, libp2pWorld, { ...settingsOf(algorithm), rounds, isTestedElsewhere })
}
