import { peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { decodeControl, encodeControl, ProtocolFault } from '../links/control-messages.js'
import { foreignText } from './foreign-text.js'

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const hostile = '\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202eabc\u2066\u0000'

test('any text becomes printable and bounded, and a second pass does not change it', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (text, most) => {
      const safe = foreignText(text, most)
      t.notRegex(safe, unsafe)
      t.true(safe.length <= most)
      t.is(foreignText(safe, most), safe)
    })
  )
  t.is(foreignText('Grüße, 你好 🐦'), 'Grüße, 你好 🐦')
})

test('control characters in a leave message, a refusal or run settings are escaped', (t) => {
  const runSettings = { settings: { [hostile]: hostile }, schema: [{ name: hostile, shape: [1] }], start: hostile }
  const bye = decodeControl(encodeControl({ kind: 'leave', reason: hostile }))
  const refused = decodeControl(encodeControl({ kind: 'refused', code: 'settings', reason: hostile, runSettings }))
  for (const message of [bye, refused]) {
    for (const text of textsOf(message)) t.notRegex(text, unsafe)
    t.true(JSON.stringify(message).includes('\\\\u001b'))
  }
})

test('invalid names are refused, and messages about them are printable', (t) => {
  const wrong = {
    kind: 'hello',
    name: `${peerName('a')}${hostile}`,
    [hostile]: 1,
    runSettings: { settings: { [hostile]: 7 } }
  }
  const error = t.throws(() => decodeControl(Buffer.from(JSON.stringify(wrong))), { instanceOf: ProtocolFault })
  t.notRegex(error.message, unsafe)
})

/** All texts in a value, keys too. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)])
}
