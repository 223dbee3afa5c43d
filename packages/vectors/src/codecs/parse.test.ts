import { InputError } from '@murmuration/core'
import test from 'ava'
import { bodyBytes, codecWords, parseCodec } from './parse.js'

test('every word names a codec of that name, with a number of its own', (t) => {
  const codecs = codecWords.map(parseCodec)
  t.deepEqual(
    codecs.map(({ name }) => name as string),
    codecWords
  )
  t.is(new Set(codecs.map(({ id }) => id)).size, codecs.length)
  t.deepEqual(
    codecs.filter(({ stateful }) => stateful).map(({ name }) => name as string),
    codecWords.filter((word) => /^(delta|top)-/.test(word))
  )
})

test('top-k has a share above 0 and at most 1', (t) => {
  for (const share of ['0.01', '.5', '1', '1e-3', '0.250'])
    t.is(parseCodec(`top-k:${share}`).name, `top-k:${Number(share)}`)
  for (const share of ['0', '-0.1', '1.01', '', 'x', '0.1.2', ' 0.1', 'NaN', '1e400']) {
    t.throws(() => parseCodec(`top-k:${share}`), {
      instanceOf: InputError,
      message: /share that is sent: above 0, at most 1/
    })
  }
})

test('for a word that names no codec, all that do are given', (t) => {
  for (const text of ['flaot16', 'int', 'delta-float32', 'INT8', 'top-k', 'topk:0.01', '']) {
    const error = t.throws(() => parseCodec(text), { instanceOf: InputError })
    t.is(error?.message, `found "${text}", expected one of ${codecWords.join(', ')}`)
  }
})

test('the bytes of a body are those of its layout', (t) => {
  const million = 1_000_000
  t.is(bodyBytes('float32', million), 4 * million)
  t.is(bodyBytes('float16', million), 2 * million)
  t.is(bodyBytes('delta-bfloat16', million), 2 * million)
  t.is(bodyBytes('delta-int8', million), million + 4 * 3907)
  t.is(bodyBytes('top-k:0.01', million), 8 + 2 * 10_000 + 1 + 10_000 + 7812 + 61)
  t.is(bodyBytes('top-k:0.5', million), 8 + 2 * 500_000 + 1 + 125_000)
  for (const word of codecWords) t.is(parseCodec(word).maxBytes(million), 4 * million)
})
