import type { SimulatedRecord } from '@murmuration/results'
import test from 'ava'
import { AveragingTimes } from './averaging-times.js'
import type { Candidate } from './candidates.js'

test('final averaging is simulated once for those that end alike, and again after an algorithm that is asked for', async (t) => {
  const simulated: number[] = []
  const times = new AveragingTimes(async (method) => {
    simulated.push(method)
    return { outcome: 'limit', seconds: method + 2, rounds: 1, secondsPerRound: 2 } as unknown as SimulatedRecord
  })
  const planOf = (name: string, graph = 'ring', finalRounds = 9) =>
    ({
      choice: { algorithm: { name }, codec: 'int8', rate: 1 },
      graph,
      method: { finalRounds }
    }) as unknown as Candidate
  t.is(await times.near(planOf('dpsgd'), 1), 1)
  t.is(await times.near(planOf('ad-psgd'), 2), 1)
  t.is(await times.near(planOf('all-reduce'), 3), 3)
  t.is(await times.near(planOf('dpsgd', 'pairs'), 4), 4)
  t.is(await times.near(planOf('all-reduce', 'ring', 0), 5), 0)
  t.is(await times.after(planOf('ad-psgd'), 6), 6)
  t.deepEqual(simulated, [1, 3, 4, 6])
})
