import { InputError } from '@murmuration/core'
import test from 'ava'
import { normals, Pair } from './codecs.test.support.js'
import { bodyBytes, codecWords, expectedParameter, isCodec, parseCodec } from './parse.js'
import { codecKinds } from './registry.js'

test('every word names a codec of that name, with a number of its own', (t) => {
  const codecs = codecWords.map(parseCodec)
  t.deepEqual(
    codecs.map(({ name }) => name),
    codecWords
  )
  t.is(new Set(codecs.map(({ id }) => id)).size, codecs.length)
  t.deepEqual(
    codecs.map(({ id }) => id),
    codecKinds.map(({ id }) => id)
  )
  t.deepEqual(
    codecs.filter(({ stateful }) => stateful).map(({ name }) => name),
    codecWords.filter((word) => /^(delta|top)-/.test(word))
  )
})

test('the ids on the wire are pinned: with others, peers of two versions misread each other', (t) => {
  const ids = Object.fromEntries(codecKinds.map(({ name, id }) => [name, id]))
  t.deepEqual(ids, {
    'float32': 0,
    'float16': 1,
    'bfloat16': 2,
    'int8': 3,
    'int4': 5,
    'delta-float16': 9,
    'delta-bfloat16': 10,
    'delta-int8': 11,
    'delta-int4': 13,
    'top-k': 12
  })
})

test('a parameter stands where there is one, and nowhere else', (t) => {
  for (const { name, parameter, create } of codecKinds) {
    t.is(isCodec(name), parameter === undefined)
    t.is(isCodec(`${name}:${parameter?.example ?? 1}`), parameter !== undefined)
    if (parameter !== undefined) t.is(create(parameter.example).name, `${name}:${parameter.example}`)
  }
  t.is(expectedParameter('int8:1'), undefined)
})

test('top-k has a fraction above 0 and at most 1', (t) => {
  for (const fraction of ['0.01', '.5', '1', '1e-3', '0.250'])
    t.is(parseCodec(`top-k:${fraction}`).name, `top-k:${Number(fraction)}`)
  for (const fraction of ['0', '-0.1', '1.01', '', 'x', '0.1.2', ' 0.1', 'NaN', '1e400']) {
    t.throws(() => parseCodec(`top-k:${fraction}`), {
      instanceOf: InputError,
      message: /fraction of the numbers that are sent, above 0 and at most 1, such as top-k:0.01$/
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
  t.is(bodyBytes('int4', million), million / 2 + 4 * 3907)
  t.is(bodyBytes('top-k:0.01', million), 8 + 2 * 10_000 + 1 + 10_000 + 7812 + 61)
  t.is(bodyBytes('top-k:0.5', million), 8 + 2 * 500_000 + 1 + 125_000)
  for (const word of codecWords) t.is(parseCodec(word).maxBytes(million), 4 * million)
})

test('a body of a codec without a parameter has just the bytes of its layout', (t) => {
  for (const { name } of codecKinds.filter(({ parameter }) => parameter === undefined)) {
    for (const count of [0, 1, 2, 7, 255, 256, 257, 1000]) {
      const pair = new Pair(name, count)
      for (const seed of [1, 2]) {
        const { id, bytes } = pair.encode(normals(count, seed))
        const codec = parseCodec(name)
        t.is(bytes, id === codec.id ? codec.bytes(count) : 4 * count, `${count} numbers`)
      }
    }
  }
})
