import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { Batches } from './batches.js'

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
