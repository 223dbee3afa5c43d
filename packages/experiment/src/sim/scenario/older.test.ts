import { InputError } from '@murmuration/core'
import test from 'ava'
import { scenarioOf } from './scenario.test.support.js'

/** Lines of older files, and the beginning of the message that says what replaces them. */
const older: readonly (readonly [lines: Readonly<Record<string, string>>, message: string])[] = [
  [{ contenders: '[{ algorithm: dpsgd }]' }, '5:13: contenders: found a list of 1, expected methods: '],
  [{ about: 'x' }, '5:8: about: found "x", expected description in place of about'],
  [
    { training: '{ batch: 4 }' },
    '5:11: training: found a mapping, expected batch, rate, optimiser and the rest at the top level'
  ],
  [{ patience: '1 s' }, '5:11: patience: found "1 s", expected timeout in place of patience'],
  [{ agreement: '0.1' }, '5:12: agreement: found 0.1, expected consensusTolerance in place of agreement'],
  [
    { methods: '[{ algorithm: { name: all-reduce, pieces: 4 } }]' },
    '4:52: methods[0].algorithm.pieces: found 4, expected chunks in place of pieces'
  ],
  [
    { faults: '{ rules: [{ share: 10 %, do: drop }] }' },
    '5:28: faults.rules[0].share: found "10 %", expected fraction in place of share'
  ],
  [
    { computing: '{ stragglers: { kind: slow-now-and-then, fraction: 5 %, share: 5 %, factor: 2 } }' },
    '5:75: computing.stragglers.share: found "5 %", expected fraction in place of share'
  ],
  [{ stop: '{ rounds: 4 }' }, '5:17: stop.rounds: found 4, expected rounds at the top level'],
  [{ task: '{ kind: softmax, data: digits }' }, '3:30: task.data: found "digits", expected data next to task'],
  [
    { task: '{ kind: logistic, samples: 9 }' },
    '3:34: task.samples: found 9, expected data: { gaussians: 4601 } next to task'
  ],
  [
    { methods: '[{ algorithm: all-reduce, collective: ring }]' },
    '4:48: methods[0].collective: found "ring", expected it inside algorithm: { name: all-reduce, collective: … }'
  ]
]

test('a word of older files is refused with the one that stands in its place now', async (t) => {
  for (const [lines, expected] of older) {
    const error = await t.throwsAsync(scenarioOf(lines), { instanceOf: InputError }, JSON.stringify(lines))
    const message = error?.message.replace(/^\S+\/s\.yaml:/, '') ?? ''
    t.true(message.startsWith(expected), `${message}\n${expected}`)
  }
})
