import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { differenceOf, hashVector, lengthOf, offsetsOf, pack, sizeOf, unpack } from './schema.js'

const schemas = fc.array(
  fc.record(
    {
      name: fc.string(),
      shape: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      kind: fc.constantFrom('frozen' as const, 'statistic' as const),
      momentum: fc.constantFrom(0.9, 0.99)
    },
    { requiredKeys: ['name', 'shape'] }
  ),
  { minLength: 1, maxLength: 5 }
)

test('unpacking undoes packing', (t) => {
  fc.assert(
    fc.property(schemas, (schema) => {
      const tensors = schema.map(({ shape }, index) => new Float32Array(sizeOf(shape)).fill(index + 1))
      const flat = pack(schema, tensors)
      t.is(flat.length, lengthOf(schema))
      t.deepEqual(unpack(schema, flat), tensors)
    })
  )
})

test('views of the flat vector share its memory', (t) => {
  const flat = new Float32Array(3)
  const [, bias] = unpack(
    [
      { name: 'w', shape: [2] },
      { name: 'b', shape: [] }
    ],
    flat
  )
  bias[0] = 7
  t.deepEqual([...flat], [0, 0, 7])
  t.deepEqual(
    offsetsOf([
      { name: 'w', shape: [2] },
      { name: 'b', shape: [] }
    ]),
    [0, 2]
  )
})

test('a tensor of the wrong size is not packed', (t) => {
  t.throws(() => pack([{ name: 'w', shape: [2, 2] }], [[1, 2, 3]]), { message: /w has 3 values, not \[2,2\]/ })
  t.throws(() => unpack([{ name: 'w', shape: [2, 2] }], new Float32Array(3)), { name: 'InvariantError' })
})

test('schemas are the same just when they are equal in every tensor', (t) => {
  fc.assert(
    fc.property(schemas, schemas, (left, right) => {
      t.is(isDeepStrictEqual(left, right), differenceOf(left, right) === undefined)
      t.is(differenceOf(left, structuredClone(left)), undefined)
    })
  )
})

test('the difference names the first tensor that differs, and both shapes', (t) => {
  const ours = [{ name: 'w', shape: [784, 128] }]
  t.is(differenceOf(ours, [{ name: 'w', shape: [784, 64] }]), 'tensor 1 is "w" [784, 128] here and "w" [784, 64] there')
  t.is(differenceOf(ours, [...ours, { name: 'b', shape: [] }]), 'tensor 2 is missing here and "b" [] there')
  t.is(
    differenceOf(ours, [{ ...ours[0], kind: 'frozen' }]),
    'tensor 1 is "w" [784, 128] here and "w" [784, 128], frozen there'
  )
})

test('the hash of a vector is that of its bits', (t) => {
  t.not(hashVector(Float32Array.of(0)), hashVector(Float32Array.of(-0)))
  t.is(hashVector(Float32Array.of(1, 2).subarray(1)), hashVector(Float32Array.of(2)))
})
