import test from 'ava'
import fc from 'fast-check'
import { bandOf, thin, valueAt } from './bands.js'
import { spreadOf } from './spread.js'

const line = (x: readonly number[], y: readonly number[], stays = true) => ({
  points: x.map((place, k) => ({ x: place, y: y[k] })),
  stays
})

test('a run that never got there counts as slower than all others', (t) => {
  t.deepEqual(spreadOf([30, 10, 20]), { middle: 20, low: 10, high: 30, mean: 20, deviation: 10 })
  t.deepEqual(spreadOf([5, 5]), { middle: 5, low: 5, high: 5, mean: 5, deviation: 0 })
  t.deepEqual(spreadOf([10, Infinity, 20]), { middle: 20, low: 10, high: null })
  t.deepEqual(spreadOf([10, Infinity, Infinity]), { middle: null, low: 10, high: null })
  t.deepEqual(spreadOf([10, Infinity]), { middle: null, low: 10, high: null })
  t.deepEqual(spreadOf([NaN]), { middle: null, low: null, high: null })
  t.deepEqual(spreadOf([]), { middle: null, low: null, high: null })
})

test('thinning keeps the first and the last, and the order', (t) => {
  t.deepEqual(thin([0, 1, 2, 3, 4, 5, 6], 4), [0, 2, 4, 6])
  t.deepEqual(thin([1, 2], 4), [1, 2])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 2, max: 50 }), (length, most) => {
      const items = Array.from({ length }, (_, k) => k)
      const thinned = thin(items, most)
      t.true(thinned.length === Math.min(length, most))
      t.is(thinned[0], 0)
      t.is(thinned[thinned.length - 1], length - 1)
      t.deepEqual(
        thinned,
        [...new Set(thinned)].sort((a, b) => a - b)
      )
    })
  )
})

test('between its points a curve is straight', (t) => {
  const curve = line([0, 10, 10], [2, 1, 0.5])
  t.is(valueAt(curve, 5), 1.5)
  t.is(valueAt(curve, 10), 0.5)
  t.is(valueAt(curve, -1), undefined)
})

test('after its end a curve stays at its last value, unless its run failed', (t) => {
  t.is(valueAt(line([0, 10], [2, 1]), 11), 1)
  t.is(valueAt(line([0, 10], [2, 1], false), 10), 1)
  t.is(valueAt(line([0, 10], [2, 1], false), 11), undefined)
})

test('a band is the median, the least and the greatest at each place of any of its curves', (t) => {
  const curves = [line([0, 10], [2, 1]), line([0, 20], [4, 0]), line([0, 20], [3, 3], false)]
  t.deepEqual(bandOf(curves, 200), { x: [0, 10, 20], middle: [3, 2, 1], low: [2, 1, 0], high: [4, 3, 3] })
})

test('a single curve is a band without width; values that are no numbers are left out', (t) => {
  t.deepEqual(bandOf([line([0, 1, 2], [2, NaN, 1])], 200), { x: [0, 1, 2], middle: [2, null, 1] })
  t.deepEqual(bandOf([line([], [])], 200), { x: [], middle: [] })
})
