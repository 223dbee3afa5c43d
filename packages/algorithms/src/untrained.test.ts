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

test('neighbouring ranges with one momentum are one, and trained parameters have none', (t) => {
  t.deepEqual(untrainedOf(schema), [
    { offset: 2, length: 3, momentum: 1 },
    { offset: 5, length: 2, momentum: 0.5 },
    { offset: 7, length: 2, momentum: 1 }
  ])
})
