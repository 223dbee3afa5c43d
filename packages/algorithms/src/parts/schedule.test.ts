import test from 'ava'
import { rateSchedule } from './schedule.js'

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
