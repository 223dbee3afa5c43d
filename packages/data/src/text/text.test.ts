import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import { describeLocalData } from '../about.js'
import { loadLocalData } from '../local-data.js'
import type { LocalDataOptions } from '../samples.js'
import { signatureOf } from '../signature.js'
import { take } from '../source.js'
import { drawnSentences, sentenceAlphabet, sentenceEntropy } from './sentences.js'
import { textSource } from './text.js'

const file = (text: string | Uint8Array, name = 'a.txt') => ({ name, bytes: Buffer.from(text) })
const all = (count: number) => Uint32Array.from({ length: count }, (_, index) => index)

async function saved(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-text-')), 'a.txt')
  await writeFile(path, text)
  return path
}

test('every character but the first is predicted once, from those before it in its window', (t) => {
  const source = textSource([file('abba'), file('cab', 'b.txt')], { context: 3 })
  const { inputs, targets, count, classes, classNames, inputShape, targetShape } = take(source, all(2))
  t.deepEqual({ count, classes, classNames }, { count: 2, classes: 3, classNames: ['a', 'b', 'c'] })
  t.deepEqual([inputShape, targetShape], [[3], [3]])
  t.deepEqual([...inputs], [0, 1, 1, 0, 2, 0])
  t.deepEqual([...targets], [1, 1, 0, 2, 0, 1])
})

test('characters beyond 16 bits are one character each, and a byte order mark is none', (t) => {
  const { classNames } = textSource([file('\uFEFF🐦é🐦é')], { context: 2 })
  t.deepEqual(classNames, ['é', '🐦'])
})

test('the end of the text is the test set; the same seed divides the rest alike', async (t) => {
  const text = Array.from({ length: 101 }, (_, k) => String.fromCharCode(33 + (k % 90))).join('')
  const options: LocalDataOptions = {
    data: { kind: 'files', path: await saved(text) },
    context: 10,
    testFraction: 0.2,
    partition: { kind: 'equal' },
    peers: ['a', 'b'],
    seed: 3
  }
  const { train, test: held, shardSizes } = await loadLocalData(options)
  const { classNames = [] } = signatureOf(train)
  const written = (numbers: Float32Array) => Array.from(numbers, (number) => classNames[number]).join('')
  t.is(written(held.inputs), text.slice(80, 100))
  t.is(written(held.targets), text.slice(81, 101))
  t.deepEqual(shardSizes, [4, 4])
  const own = await Promise.all(['a', 'b'].map((self) => loadLocalData({ ...options, self })))
  t.deepEqual(
    own.flatMap(({ train: { inputs } }) => [...inputs]),
    [...train.inputs]
  )
  t.deepEqual([...train.inputs].sort(), [...train.inputs].sort(), 'nothing is lost')
  t.not(written(train.inputs), text.slice(0, 80), 'the windows are shuffled')
  t.deepEqual(signatureOf(train).preprocessing, { kind: 'text' })
  t.is(
    describeLocalData({ train, test: held, shardSizes }, options).data,
    '8 windows of 10 characters, 90 distinct, 2 to test'
  )
})

const refused: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['is too short', () => textSource([file('abc')], { context: 3 }), /^a\.txt: has 3 characters, expected at least 4/],
  [
    'is not UTF-8',
    () => textSource([file(Buffer.concat([Buffer.from('ab\ncd'), Buffer.of(0xff)]))]),
    /^a\.txt: line 2, character 3 is not UTF-8/
  ],
  [
    'has characters that a model does not know',
    () => textSource([file('ab\nbXab')], { context: 3, like: { classNames: ['\n', 'a', 'b'] } }),
    /^a\.txt: line 2, character 2 is "X", expected one of the 3 known characters: "\\nab"/
  ],
  [
    'has too many different characters',
    () => textSource([file(Array.from({ length: 10_001 }, (_, k) => String.fromCodePoint(0x4e00 + k)).join(''))]),
    /^a\.txt: has 10001 different characters, expected at most 10000/
  ]
]

for (const [what, read, message] of refused)
  test(`a text that ${what} is refused`, (t) => void t.throws(read, { instanceOf: InputError, message }))

test('sentences are pinned: a change of them changes every published run', (t) => {
  const { inputs } = take(drawnSentences(10, 1), all(10))
  t.is(hashVector(inputs), '3fdc6fc281e89b3401c19c1d5cc5d46d6cbb5987619b5d823e1f0bea5ad70cb6')
})

test('a sentence is as long, and its words are as frequent, as the entropy says', (t) => {
  const source = drawnSentences(4000, 5)
  const { inputs } = take(source, all(4000))
  const text = Array.from(inputs, (number) => sentenceAlphabet[number]).join('')
  const sentences = text.split('\n').slice(0, -1)
  const words = new Map<string, number>()
  for (const each of sentences.flatMap((sentence) => sentence.split(/[ .]+/)))
    if (each !== '') words.set(each, (words.get(each) ?? 0) + 1)
  const bits = [...words].reduce((sum, [word, times]) => {
    const kind = ['a', 'the'].includes(word) ? 2 : word.endsWith('s') ? 10 : undefined
    return kind === undefined ? sum : sum + times * Math.log(kind)
  }, 0)
  t.is(words.size, 2 + 8 + 12 + 10)
  const perSentence = bits / sentences.length
  t.true(Math.abs(perSentence - (2 * Math.log(2) + Math.log(10))) < 1e-9, 'two determiners and one verb')
  const expected = (2 * (2 * Math.log(2) + Math.log(8) / 2 + Math.log(12)) + Math.log(10)) / sentenceEntropy()
  const found = text.length / sentences.length
  t.true(Math.abs(found / expected - 1) < 0.01, `${found} characters a sentence, not ${expected}`)
})

test('files that have more bytes together than a text may have are refused before they are one text', (t) => {
  const bytes = Buffer.alloc(2 ** 28)
  t.throws(() => textSource(['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, bytes }))), {
    instanceOf: InputError,
    message: /a\.txt, b\.txt, c\.txt: has 805306368 bytes, expected at most 67108864 characters/
  })
})

test('a file of more bytes than a text may have is refused before it is one', (t) => {
  t.throws(() => textSource([{ name: 'a.txt', bytes: Buffer.alloc(2 ** 28 + 1) }]), {
    instanceOf: InputError,
    message: /a\.txt: has 268435457 bytes, expected at most 67108864 characters/
  })
})

test('a text is bounded by its characters before any number is made of them', (t) => {
  const bytes = Buffer.alloc(2 ** 26 + 1, 'a')
  t.throws(() => textSource([{ name: 'a.txt', bytes }]), {
    instanceOf: InputError,
    message: /a\.txt: has 67108865 characters, expected at most 67108864/
  })
})

test('characters of all lengths have the numbers of their code points', (t) => {
  const text = 'a\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}'
  const { classNames, count } = textSource([file(text + text)], { context: 1 })
  t.deepEqual([classNames, count], [[...text], 15])
})
