/** Every algorithm of the registry in the simulator, held to what all of them promise. */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { simulatedWorld } from './worlds.js'

/** What an algorithm needs otherwise than the rest to come to the optimum. */
const special: Readonly<
  Record<string, { readonly options?: Readonly<Record<string, unknown>>; readonly spread?: number }>
> = {
  'trimmed-mean': { spread: 0 },
  'diloco': { options: { period: 3 } },
  'local-sgd': { options: { period: 3 } },
  'gossip-pga': { options: { period: 3 } }
}

for (const algorithm of algorithms) testAlgorithm(test, simulatedWorld, { algorithm, ...special[algorithm.name] })
