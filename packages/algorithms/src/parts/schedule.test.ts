import test from 'ava'
import { endsPeriod, rateSchedule, roundsOfPeriods } from './schedule.js'

test('the rate warms up evenly, then stays, falls like a cosine, or in steps', (t) => {
  const warm = rateSchedule({ initial: 1, warmup: 4 }, 10)
  t.deepEqual([0, 1, 2, 3, 4, 9].map(warm), [0.25, 0.5, 0.75, 1, 1, 1])
  const cosine = rateSchedule({ initial: 2, decay: 'cosine' }, 10)
  t.is(cosine(0), 2)
  t.true(Math.abs(cosine(5) - 1) < 1e-12)
  t.true(Math.abs(cosine(10)) < 1e-12)
  const both = rateSchedule({ initial: 2, warmup: 4, decay: 'cosine' }, 10)
  t.deepEqual([0, 3, 4].map(both), [0.5, 2, 2])
  t.true(Math.abs(both(7) - 1) < 1e-12 && Math.abs(both(6) - 1.5) < 1e-12)
  const steps = rateSchedule({ initial: 8, decay: { at: [2, 4], factor: 0.5 } }, 10)
  t.deepEqual([0, 1, 2, 3, 4, 5].map(steps), [8, 8, 4, 4, 2, 2])
})

test('periods go on across epochs: who counts them knows the same ends as who trains', (t) => {
  for (const first of [0, 3, 4, 9])
    for (const rounds of [1, 5, 12]) {
      const node = { first, rounds, options: { period: 4 } }
      const ends = Array.from({ length: rounds }, (_, k) => k + 1).filter((end) => endsPeriod(node, end - 1))
      t.deepEqual(
        ends.map((_, index) => roundsOfPeriods(node, index + 1)),
        ends,
        `${rounds} rounds after ${first}`
      )
      t.is(roundsOfPeriods(node, 0), 0)
    }
})
