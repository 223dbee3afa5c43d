import test from 'ava'
import fc from 'fast-check'
import { frameHeaderLength } from '@murmuration/wire'
import { lengthOf } from '@murmuration/vectors'
import { trafficOver } from './traffic-wire.js'

const sizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 })

test('the tensors cover the parameters, each has at least one, and weighs what it should', (t) => {
  fc.assert(
    fc.property(sizes, fc.nat(100), (tensors, more) => {
      const length = tensors.length + more
      const { schema, wire } = trafficOver(length, tensors)
      t.is(lengthOf(schema), length)
      let offset = 0
      for (const [index, { shape }] of schema.entries()) {
        t.true(shape[0] >= 1)
        const message = { kind: 1, round: 0, offset, vector: new Float32Array(shape[0]) }
        t.is(wire.payloadLength(message), 4 * tensors[index])
        t.is(wire.byteLength(message), 4 * tensors[index] + frameHeaderLength)
        offset += shape[0]
      }
    })
  )
})

test('the whole weighs what all tensors weigh, and half a tensor half of it', (t) => {
  const { wire } = trafficOver(100, [1000, 3000])
  t.is(wire.payloadLength({ kind: 1, round: 0, vector: new Float32Array(100) }), 16_000)
  t.is(wire.payloadLength({ kind: 1, round: 0, offset: 25, vector: new Float32Array(75) }), 12_000)
  t.is(wire.payloadLength({ kind: 1, round: 0, offset: 0, vector: new Float32Array(5) }), 800)
})

test('fewer parameters than tensors are refused', (t) => {
  t.throws(() => trafficOver(2, [1, 2, 3]), { message: /3 tensors, but the task has only 2 parameters/ })
})
