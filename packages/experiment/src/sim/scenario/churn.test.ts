import { InputError } from '@murmuration/core'
import test from 'ava'
import { scenarioOf } from './scenario.test.support.js'

/** The faults of a file, in line 5, and the message about them. */
const mistakes: readonly (readonly [faults: string, message: string])[] = [
  ['{ churn: { perMinute: 0 %, until: 1 s } }', '5:31: faults.churn.perMinute: found 0, expected more than 0 %'],
  ['{ churn: { perMinute: 130 %, until: 1 s } }', '5:31: faults.churn.perMinute: …, up to 100 %'],
  [
    '{ churn: { perMinute: 30 %, back: 0 s, until: 1 s } }',
    '5:43: faults.churn.back: found 0, expected more than 0 ms'
  ],
  [
    '{ churn: { perMinute: 30 % } }',
    '5:18: faults.churn.until: missing, expected a time such as "10 ms" (us, ms, s, min, h)'
  ],
  [
    '{ churn: { perMinute: 30 %, after: 2 s, until: 1 s } }',
    '5:56: faults.churn.until: found 1000 ms, expected more than 2000 ms'
  ],
  [
    '{ churn: { perMinute: 100 %, until: 1000 h } }',
    '5:45: faults.churn.until: found 3600000000 ms, which makes about 180000 crashes, expected at most 100000'
  ]
]

for (const [faults, expected] of mistakes) {
  test(`it is said where ${faults} is wrong, what was found and what was expected`, async (t) => {
    const error = await t.throwsAsync(scenarioOf({ faults }), { instanceOf: InputError })
    const [start, end = ''] = expected.split('…')
    const message = error?.message.replace(/^\S+\/s\.yaml:/, '') ?? ''
    t.true(message.startsWith(start) && message.endsWith(end), message)
  })
}
