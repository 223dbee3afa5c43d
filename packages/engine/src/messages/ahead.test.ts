import { InputError } from '@murmuration/core'
import test from 'ava'
import { checkAhead } from './ahead.js'

test('more models ahead than a mailbox keeps are refused, with how many those are', (t) => {
  t.notThrows(() => checkAhead(6, 2_000_000, 'a gap of 3'))
  t.notThrows(() => checkAhead(4, 100_000_000, 'a gap of 2'))
  const message = /^found a gap of 3, expected less: 6 models .* of models of 4000000 numbers 4 are kept$/
  t.throws(() => checkAhead(6, 4_000_000, 'a gap of 3'), { instanceOf: InputError, message })
})
