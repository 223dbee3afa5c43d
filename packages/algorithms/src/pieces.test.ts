import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { Batches } from './batches.js'
import { Descent } from './descent.js'
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

const plain = { momentum: 0, nesterov: false, weightDecay: 0 }
const gradient = (...values: number[]) => ({ loss: 1, vector: Float32Array.from(values) })

test('without momentum a step is base − rate · gradient', (t) => {
  const next = new Descent(1, plain).step(Float32Array.of(10), Float32Array.of(4), gradient(2), 0.5, 0)
  t.deepEqual([...next], [9])
})

test('momentum adds up past gradients, Nesterov looks one step ahead, and weight decay pulls from where the gradient was taken', (t) => {
  const x = Float32Array.of(0)
  const heavy = new Descent(1, { ...plain, momentum: 0.5 })
  heavy.step(x, x, gradient(1), 1, 0)
  t.deepEqual([...heavy.step(x, x, gradient(1), 1, 1)], [-1.5])
  t.deepEqual([...new Descent(1, { ...plain, momentum: 0.5, nesterov: true }).step(x, x, gradient(1), 1, 0)], [-1.5])
  const decay = new Descent(1, { ...plain, weightDecay: 0.1 })
  t.deepEqual([...decay.step(x, Float32Array.of(10), gradient(0), 1, 0)], [-1])
})

test('a step that is not finite is an error that names the round and the rate', (t) => {
  const x = Float32Array.of(0)
  t.throws(() => new Descent(1, plain).step(x, x, gradient(NaN), 0.1, 7), {
    name: 'DivergedError',
    message: /round 7.*0\.1.*lower the rate/
  })
  t.throws(() => new Descent(1, plain).step(x, x, gradient(3e38), 100, 7), { name: 'DivergedError' })
  const withoutLoss = { vector: Float32Array.of(NaN) }
  t.throws(() => new Descent(1, plain).step(x, x, withoutLoss, 0.1, 7), { message: /round 7: the parameters are not/ })
})

test('the rate warms up evenly, then stays, falls like a cosine, or in steps', (t) => {
  const warm = rateSchedule({ initial: 1, warmup: 4 }, 10)
  t.deepEqual([0, 1, 2, 3, 4, 9].map(warm), [0.25, 0.5, 0.75, 1, 1, 1])
  const cosine = rateSchedule({ initial: 2, decay: 'cosine' }, 10)
  t.is(cosine(0), 2)
  t.true(Math.abs(cosine(5) - 1) < 1e-12)
  t.true(Math.abs(cosine(10)) < 1e-12)
  const steps = rateSchedule({ initial: 8, decay: { at: [2, 4], factor: 0.5 } }, 10)
  t.deepEqual([0, 1, 2, 3, 4, 5].map(steps), [8, 8, 4, 4, 2, 2])
})
