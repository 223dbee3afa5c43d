import test from 'ava'
import fc from 'fast-check'
import type { Range } from './vector.js'
import { cut, rangesOf, segmentsOf, shardsOf, tensorsOf } from './ranges.js'

const tensorsWith = (sizes: readonly number[]) =>
  tensorsOf(sizes.map((size, index) => ({ name: `t${index}`, shape: [size] })))
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const loadOf = (ranges: readonly Range[]) => sum(ranges.map(({ length }) => length))

/** Whether the ranges follow one another from `start` to `end`. */
function isGapless(ranges: readonly Range[], start: number, end: number): boolean {
  let next = start
  for (const { offset, length } of ranges) {
    if (offset !== next) return false
    next += length
  }
  return next === end
}

test('a model is one range, or one for each tensor that has elements', (t) => {
  const schema = [
    { name: 'weights', shape: [2, 3] },
    { name: 'nothing', shape: [0, 4] },
    { name: 'scalar', shape: [] }
  ]
  const tensors = tensorsOf(schema)
  t.deepEqual(rangesOf(tensors, 'fused'), [{ offset: 0, length: 7 }])
  t.deepEqual(rangesOf(tensors, 'per-tensor'), [
    { offset: 0, length: 6 },
    { offset: 6, length: 1 }
  ])
})

test('segments are as many as asked for and chunks are not empty; both are even and without gaps', (t) => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 30 }), (offset, length, count) => {
      const segments = segmentsOf({ offset, length }, count)
      const chunks = cut({ offset, length }, count)
      const lengths = segments.map((segment) => segment.length)
      return (
        segments.length === count &&
        Math.max(...lengths) - Math.min(...lengths) <= 1 &&
        isGapless(segments, offset, offset + length) &&
        chunks.length === Math.min(count, length) &&
        chunks.every((chunk) => chunk.length > 0) &&
        isGapless(chunks, offset, offset + length)
      )
    })
  )
  t.pass()
})

test('servers divide the model: all of it, once, whole tensors or equal ranges, and no server has more than the mean and one tensor', (t) => {
  const sizes = fc.array(fc.nat(20), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 6 }), (given, count) => {
      const total = sum(given)
      for (const fusion of ['fused', 'per-tensor'] as const) {
        const tensors = tensorsWith(given)
        const shards = shardsOf(tensors, fusion, count)
        const all = shards.flat().sort((left, right) => left.offset - right.offset)
        const most = fusion === 'fused' ? 1 : Math.max(...given)
        t.is(shards.length, count)
        t.true(isGapless(all, 0, total))
        t.true(all.every(({ length }) => length > 0))
        t.true(shards.every((shard) => loadOf(shard) <= total / count + most))
        if (fusion === 'per-tensor') t.deepEqual(all, rangesOf(tensors, fusion))
      }
    })
  )
})

test('the largest tensor is dealt out first', (t) => {
  const shards = shardsOf(tensorsWith([1, 1, 1, 3]), 'per-tensor', 2)
  t.deepEqual(shards.map(loadOf), [3, 3])
  t.deepEqual(
    shards[1].map(({ offset }) => offset),
    [0, 1, 2]
  )
})
