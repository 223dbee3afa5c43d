import test from 'ava'
import { constantAnswerOn } from './constant-answer.js'

test('the best constant answer is the most frequent class, or the mean of each number', (t) => {
  const classes = { targets: Float32Array.of(2, 0, 2, 1), targetShape: [], classes: 3 }
  t.deepEqual(constantAnswerOn(classes), { accuracy: 0.5 })
  const characters = { targets: Float32Array.of(0, 1, 1, 1, 2, 0), targetShape: [3], classes: 3 }
  t.deepEqual(constantAnswerOn(characters), { accuracy: 0.5 })
  t.deepEqual(constantAnswerOn({ targets: Float32Array.of(1, 3), targetShape: [] }), { loss: 1 })
  const pairs = { targets: Float32Array.of(1, 10, 3, 10), targetShape: [2] }
  t.deepEqual(constantAnswerOn(pairs), { loss: 0.5 })
})
