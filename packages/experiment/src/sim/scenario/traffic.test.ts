import test from 'ava'
import fc from 'fast-check'
import { tensorsOf, trafficSchema } from './traffic.js'

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

test('ResNet-20 is 270,410 numbers in 59 tensors', (t) => {
  const tensors = tensorsOf('resnet-20')
  t.is(tensors.length, 59)
  t.is(sum(tensors), 270_410)
  t.deepEqual(tensors.slice(0, 6), [448, 16, 16, 2320, 16, 16])
  t.deepEqual(tensors.slice(-5), [36_928, 64, 64, 640, 10])
})

test('a size is shared out over its tensors without a rest, and evenly', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 300 }), (numbers, count) => {
      const tensors = tensorsOf({ size: 4 * numbers, tensors: count })
      t.is(tensors.length, count)
      t.is(sum(tensors), numbers)
      t.true(Math.max(...tensors) - Math.min(...tensors) <= 1)
    })
  )
  t.deepEqual(tensorsOf(trafficSchema.parse({ size: '256 MiB', tensors: 1 })), [2 ** 26])
})
