import test from 'ava'
import fc from 'fast-check'
import { InputError, shownMessage } from './index.js'

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

test('a message acts on no terminal and is bounded, whatever it quotes, and a second pass does not change it', (t) => {
  const texts = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 3000 }), fc.constant('\n')), {
    maxLength: 300
  })
  fc.assert(
    fc.property(texts, (parts) => {
      const shown = shownMessage(parts.join(''))
      const lines = shown.split('\n')
      t.true(lines.length <= 100)
      for (const line of lines) {
        t.notRegex(line, unsafe)
        t.true(line.length <= 2000)
      }
      t.is(shownMessage(shown), shown)
    }),
    { numRuns: 50 }
  )
  t.is(shownMessage('Grüße,\n你好 🐦'), 'Grüße,\n你好 🐦')
})

test('an error about input shows control characters and marks of direction of what it quotes, and cuts it', (t) => {
  t.is(new InputError('class "\u001b[2J\u202e"').message, 'class "\\u001b[2J\\u202e"')
  t.true(new InputError('x'.repeat(1_600_000)).message.length <= 2000)
})
