import { InputError } from '@murmuration/core'
import test from 'ava'
import { commandOf, parseOptions } from './options.js'

test('the command that is printed gives the same options again', (t) => {
  const options = parseOptions(['--minutes', '0.5', '--seed', '11', '--megabytes', '4', '--codec', 'float32'])
  t.like(options, { minutes: 0.5, seed: 11, megabytes: 4, codec: 'float32' })
  t.deepEqual(parseOptions(commandOf(options).split(' ').slice(2)), options)
  const plain = parseOptions([])
  t.is(plain.codec, undefined)
  t.deepEqual(parseOptions(commandOf(plain).split(' ').slice(2)), plain)
})

test('options that make no sense are refused', (t) => {
  t.throws(() => parseOptions(['--minutes', 'long']), { instanceOf: InputError, message: /--minutes is "long"/ })
  t.throws(() => parseOptions(['--hours', '1']), { message: /hours/ })
})
