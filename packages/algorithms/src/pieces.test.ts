import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { Batches } from './batches.js'
import { rateSchedule } from './schedule.js'

test('batches go through all samples before any comes again', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 15 }), fc.nat(), (samples, size, seed) => {
      const batches = new Batches(createRandom(seed), samples, size)
      const drawn = Array.from({ length: 10 * samples }, () => [...batches.next()]).flat()
      for (let epoch = 0; (epoch + 1) * samples <= drawn.length; epoch++) {
        const seen = new Set(drawn.slice(epoch * samples, (epoch + 1) * samples))
        if (seen.size !== samples) return false
      }
      return drawn.length === 10 * samples * size
    })
  )
  t.pass()
})

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
