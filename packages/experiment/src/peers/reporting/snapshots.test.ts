import test from 'ava'
import { isSnapshot, snapshotsEvery } from './snapshots.js'

const evaluated = (rounds: number) =>
  Array.from({ length: rounds }, (_, round) => round).filter((round) =>
    isSnapshot({ round, phase: 'train' }, snapshotsEvery(rounds), rounds)
  )

test('a model is evaluated after 1, 2, 4, 8 … rounds, then at equal distances, and at the end of training', (t) => {
  const after = evaluated(405).map((round) => round + 1)
  t.deepEqual(after.slice(0, 7), [1, 2, 4, 8, 16, 20, 40])
  t.is(after.length, 5 + 20 + 1)
  t.deepEqual(after.slice(-2), [400, 405])
  t.deepEqual(evaluated(7), [0, 1, 2, 3, 4, 5, 6])
  t.false(isSnapshot({ round: 0, phase: 'average' }, 20, 400))
  t.false(isSnapshot({ round: 22, phase: 'train' }, 20, 400))
  t.true(isSnapshot({ round: 22, phase: 'train', ends: 'X is done' }, 20, 400))
})
