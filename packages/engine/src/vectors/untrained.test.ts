import type { Schema } from '@murmuration/core'
import test from 'ava'
import { untrainedOf } from './untrained.js'

/** Elements 0 and 1 are trained, 2 to 4 frozen, 5 and 6 a statistic, 7 and 8 frozen, 9 trained. */
const schema: Schema = [
  { name: 'first', shape: [2] },
  { name: 'frozen', shape: [3], kind: 'frozen' },
  { name: 'statistic', shape: [2], kind: 'statistic', momentum: 0.5 },
  { name: 'one', shape: [1], kind: 'frozen' },
  { name: 'two', shape: [1], kind: 'frozen' },
  { name: 'last', shape: [1] }
]

test('frozen parameters and statistics are found where they lie', (t) => {
  const momenta = [undefined, undefined, 1, 1, 1, 0.5, 0.5, 1, 1, undefined]
  const ranges = untrainedOf(schema)
  const found = momenta.map((_, place) => {
    return ranges.find((range) => range.offset <= place && place < range.offset + range.length)?.momentum
  })
  t.deepEqual(found, momenta)
})

test('neighbouring ranges with one momentum are one', (t) => {
  t.deepEqual(untrainedOf(schema), [
    { offset: 2, length: 3, momentum: 1 },
    { offset: 5, length: 2, momentum: 0.5 },
    { offset: 7, length: 2, momentum: 1 }
  ])
})
