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

test('each part of the parameters has its frozen and statistic ranges, counted from where the part begins', (t) => {
  const momenta = [undefined, undefined, 1, 1, 1, 0.5, 0.5, 1, 1, undefined]
  for (let offset = 0; offset < momenta.length; offset++) {
    for (let end = offset; end <= momenta.length; end++) {
      const ranges = untrainedOf(schema, { offset, length: end - offset })
      const found = momenta.slice(offset, end).map((_, place) => {
        return ranges.find((range) => range.offset <= place && place < range.offset + range.length)?.momentum
      })
      t.deepEqual(found, momenta.slice(offset, end), `from ${offset} to ${end}`)
      t.true(ranges.every((range) => range.length > 0 && range.offset + range.length <= end - offset))
    }
  }
})

test('neighbouring ranges with one momentum are one', (t) => {
  t.deepEqual(untrainedOf(schema), [
    { offset: 2, length: 3, momentum: 1 },
    { offset: 5, length: 2, momentum: 0.5 },
    { offset: 7, length: 2, momentum: 1 }
  ])
})
