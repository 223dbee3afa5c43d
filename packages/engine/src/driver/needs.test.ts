import test from 'ava'
import { nextExchange } from './needs.js'

test('neighbours exchange at the end of each period, and in the last round of training', (t) => {
  const roundsUntil = (every: number) => [0, 1, 2, 3, 4, 5, 6].map((round) => nextExchange(round, every, 7))
  t.deepEqual(roundsUntil(1), [0, 1, 2, 3, 4, 5, 6])
  t.deepEqual(roundsUntil(3), [2, 2, 2, 5, 5, 5, 6])
  t.deepEqual(roundsUntil(10), [6, 6, 6, 6, 6, 6, 6])
})
