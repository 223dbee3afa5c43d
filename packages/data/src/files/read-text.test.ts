import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { parseWords, readWords } from '../text/words.js'
import { NumberedNames } from './numbered-names.js'
import { readRatings } from './ratings.js'
import { forEachLine } from './read-text.js'
import { readGraph } from './triples.js'

async function saved(text: string | Uint8Array, name = 'a.txt'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-text-'))
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

/** Longer than the part of a file that is read at once, so that lines and characters of two bytes are divided. */
const long = Array.from({ length: 120_000 }, (_, k) => `${k}\té ${k % 7}${k % 3 === 0 ? '\r' : ''}`).join('\n')

test('the lines of a file are those of its text, wherever it is divided', async (t) => {
  for (const text of [long, `${long}\n`, '', '\n', 'a\r', 'a\n\r\nb']) {
    const lines: string[] = []
    await forEachLine(await saved(text), 'lines', (line, number) => t.is(lines.push(line), number))
    const expected = text.split(/\r?\n/)
    t.deepEqual(lines, expected.at(-1) === '' ? expected.slice(0, -1) : expected)
  }
})

test('a line without an end is refused before it fills the memory', async (t) => {
  const path = await saved(`a\n${'b'.repeat(3e6)}`)
  await t.throwsAsync(
    forEachLine(path, 'lines', () => {}),
    { instanceOf: InputError, message: /a\.txt: line 2 has more than 65536 characters/ }
  )
})

test('the words of a file are those of its text, wherever it is divided', async (t) => {
  const text = Array.from({ length: 90_000 }, (_, k) => `don't w${k % 11}é,${k % 5 === 0 ? '\n \n\n\t' : ' '}`).join('')
  t.deepEqual(await readWords(await saved(text), 2), parseWords(text, 'a.txt', 2))
})

test('a file in which no word ends is refused before it fills the memory', async (t) => {
  const message = /a\.txt: no word ends within 4194304 characters/
  await t.throwsAsync(readWords(await saved('b'.repeat(6e6)), 1), { instanceOf: InputError, message })
})

test('names are numbered up to a limit', (t) => {
  const names = new NumberedNames('words', 2)
  t.deepEqual(
    ['b', 'a', 'b'].map((name) => names.numberOf(name, 'a.txt')),
    [0, 1, 0]
  )
  t.throws(() => names.numberOf('c', 'a.txt'), {
    instanceOf: InputError,
    message: /a\.txt: more than 2 different words/
  })
})

test('users and items are numbered by their ids, near to each other or far apart', async (t) => {
  const lines = ['7,3,1.5', '2,9007199254740991,2', '7,0,-1']
  const file = (ids: readonly string[]) => saved(`userId,movieId,rating,timestamp\r\n${ids.join('\r\n')}\r\n`)
  const { users, items, user, item, value } = await readRatings(await file(lines))
  t.deepEqual([users, items, [...user], [...item], [...value]], [2, 3, [1, 0, 1], [1, 2, 0], [1.5, 2, -1]])
  await t.throwsAsync(readRatings(await file(['1,2,x'])), { message: /line 2 has "x" as rating, expected a number/ })
  await t.throwsAsync(readRatings(await saved('userId,movieId,rating\n')), { message: /found no ratings/ })
  await t.throwsAsync(readRatings(await saved('')), { message: /line 1 is "", expected userId/ })
})

test('entities have their numbers over all files of a graph', async (t) => {
  const train = await saved('a\tr\tb\nb\ts\tc\n', 'train.txt')
  const folder = join(train, '..')
  await writeFile(join(folder, 'valid.txt'), 'c\tr\td\r\n')
  await writeFile(join(folder, 'test.txt'), 'd\ts\ta')
  const graph = await readGraph(folder)
  t.deepEqual([graph.entities, graph.relations], [4, 2])
  t.deepEqual([...graph.train.tail, ...graph.valid.head, ...graph.test.tail], [1, 2, 2, 0])
  await writeFile(join(folder, 'test.txt'), 'd\ts\ta\nd\t\ta')
  await t.throwsAsync(readGraph(folder), { message: /test\.txt: line 2, column 3: found "d→→a"/ })
})

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('ratings, triples and words that are not UTF-8 are refused with line and character, in any part of a file', async (t) => {
  const message = /: line 2, character 2 is not UTF-8; save the file as UTF-8/
  const refused = (read: Promise<unknown>, where = message) =>
    t.throwsAsync(read, { instanceOf: InputError, message: where })
  await refused(readRatings(await saved(latin1('userId,movieId,rating\n1ä,2,3'))))
  await refused(readGraph(dirname(await saved(latin1('a\tb\tc\nMärta\tb\tc'), 'train.txt'))))
  await refused(readWords(await saved(latin1('a\nMärta')), 1))
  await refused(readWords(await saved(latin1('a\ne\xe4')), 1))
  const line = 'a é '.repeat(400_000)
  const path = await saved(Buffer.concat([Buffer.from(`b\n${line}`), latin1('ä')]))
  await refused(readWords(path, 1), /line 2, character 1600001 is not UTF-8/)
})

test('a byte order mark is no part of ratings, triples or words', async (t) => {
  const ratings = 'userId,movieId,rating\n1,2,3'
  t.deepEqual(await readRatings(await saved(`\uFEFF${ratings}`)), await readRatings(await saved(ratings)))
  const folder = dirname(await saved('\uFEFFa\tb\tc\na\tb\tc', 'train.txt'))
  for (const name of ['valid.txt', 'test.txt']) await writeFile(join(folder, name), '\uFEFFa\tb\tc')
  const { entities, train, test: held } = await readGraph(folder)
  t.deepEqual([entities, [...train.head], [...held.head]], [2, [0, 0], [0]])
  t.is((await readWords(await saved('\uFEFFa b a b'), 1)).words, 2)
})

test('the ids of ratings are decimal numbers', async (t) => {
  for (const id of ['0x10', '0b1'])
    await t.throwsAsync(readRatings(await saved(`userId,movieId,rating\n1,${id},3`)), {
      instanceOf: InputError,
      message: /line 2 has "0.*" as movieId, expected a whole number of at least 0/
    })
})

test('entities and words are the same in all normal forms of Unicode', async (t) => {
  const folder = dirname(await saved('café\tr\tcafe\u0301', 'train.txt'))
  for (const name of ['valid.txt', 'test.txt']) await writeFile(join(folder, name), 'café\tr\tcafé')
  t.is((await readGraph(folder)).entities, 1)
  t.deepEqual([...parseWords('café tea cafe\u0301', 'a', 1).word], [0, 1, 0])
})

/** Texts, and their different words. */
const texts: Readonly<Record<string, readonly [string, number]>> = {
  Hindi: ['हिन्दी भाषा में लिखा हुआ पाठ है और यह हिन्दी है', 9],
  Bengali: ['আমি বাংলায় গান গাই', 4],
  Tamil: ['தமிழ் மொழி இனிது', 3],
  Arabic: ['كِتَابٌ جَدِيدٌ، كِتَابٌ', 2],
  Persian: ['می\u200cخواهم می\u200cروم', 2],
  Hebrew: ['צה״ל שָׁלוֹם', 2],
  Thai: ['ฉันกินข้าว', 3],
  Japanese: ['私は猫です。', 4],
  Chinese: ['我喜欢猫', 3],
  Korean: ['나는 고양이를 좋아한다', 3],
  Catalan: ['col·lecció nova', 2],
  Russian: ['Мы читаем книгу', 3],
  Vietnamese: ['Tiếng Việt'.normalize('NFD'), 2],
  English: ["I don't see 2 cats; don't you?", 6]
}

for (const [language, [text, words]] of Object.entries(texts))
  test(`a text in ${language} has as many words as its readers see`, (t) => {
    t.is(parseWords(text, 'a', 1).words, words)
  })
