/**
 * The contract of algorithms on libp2p. algorithms.test.ts has every algorithm in the simulator, and
 * algorithms-parity.test.ts shows that synchronous ones give the same bits on libp2p; so this has those whose result
 * depends on the world, and one for each way to use a fabric.
 */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { settingsOf } from './algorithm-cases.js'
import { libp2pWorld } from './worlds.js'

const inFull = new Set(['dpsgd', 'ad-psgd', 'async-parameter-server', 'stale-synchronous', 'parameter-services'])

/** Only checkpoints are tried: a run that continues begins anew on links that it has not used. */
const checkpoints = new Set([
  'sgp',
  'gradient-tracking',
  'relay-sgd',
  'gossip-pga',
  'trimmed-mean',
  'diloco',
  'all-reduce',
  'parameter-server'
])

for (const algorithm of algorithms.filter(({ name }) => inFull.has(name) || checkpoints.has(name)))
  testAlgorithm(test.serial, libp2pWorld, {
    ...settingsOf(algorithm),
    isTestedElsewhere: checkpoints.has(algorithm.name)
  })
