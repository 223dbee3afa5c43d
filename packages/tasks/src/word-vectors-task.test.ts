import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawWords, parseWords, plantSynonyms } from '@murmuration/data'
import test from 'ava'
import { createWordVectorsTask, createWordVectorsTaskSet } from './word-vectors-task.js'

const peers = ['a', 'b', 'c']
const drawn = {
  peers,
  seed: 3,
  minCount: 1,
  words: 60,
  length: 6000,
  synonyms: 10,
  rank: 12,
  window: 1,
  negatives: 5,
  subsample: 0
}

test('words that mean the same are found by their company', async (t) => {
  const task = await createWordVectorsTask(drawn)
  const x = (await task.initialise(1).run()).slice()
  const { loss: before, accuracy: none } = await task.evaluate(x).run()
  for (let round = 0; round < 8; round++)
    for (let first = 0; first + 4 <= task.samples; first += 4) {
      const batch = Uint32Array.from({ length: 4 }, (_, n) => (7919 * (first + n)) % task.samples)
      const { vector } = await task.gradient(x, batch, round).run()
      for (let at = 0; at < x.length; at++) x[at] -= 0.1 * vector[at]
    }
  const { loss, accuracy = 0 } = await task.evaluate(x).run()
  t.is(none, 0)
  t.true(accuracy >= 0.8, `${accuracy}`)
  t.true(loss < before, `${loss}, and ${before} at first`)
})

test('each of two synonyms is half of the word that was split, at the same places', (t) => {
  const text = drawWords({ words: 50, length: 8000, seed: 2 })
  const split = plantSynonyms(text, 5, 2)
  t.is(split.words, 55)
  t.deepEqual(
    split.word.map((word) => (word < 50 ? word : word - 50)),
    text.word
  )
  for (let word = 0; word < 5; word++) {
    const all = text.word.filter((each) => each === word).length
    const half = split.word.filter((each) => each === word).length
    t.true(Math.abs(half / all - 0.5) < 0.1, `${half} of ${all}`)
  }
})

test('peers have equal parts of the text, one after the other', async (t) => {
  const set = await createWordVectorsTaskSet(drawn)
  t.deepEqual(
    peers.map((peer) => set.of(peer).samples),
    [1900, 1900, 1900]
  )
  t.is(set.union.samples, 5700)
  const own = await createWordVectorsTask({ ...drawn, self: 'b' })
  const batch = Uint32Array.of(1, 5)
  t.deepEqual(own.rows?.keysOf(batch, 2), set.of('b').rows?.keysOf(batch, 2))
  t.deepEqual(own.rows?.keysOf(batch, 2), set.union.rows?.keysOf(Uint32Array.of(1901, 1905), 2))
})

test('words are letters and digits without regard to case, numbered by frequency, in sentences that end at empty lines', (t) => {
  const text = "The cat's here.\nThe dog, the 2 dogs!\n \r\nA dog: Ünïted.\n"
  const { words, word, sentence } = parseWords(text, 'a.txt', 2)
  t.is(words, 2)
  t.deepEqual([...word], [0, 0, 1, 0, 1])
  t.deepEqual([...sentence], [0, 0, 0, 0, 1])
  t.is(parseWords(text, 'a.txt', 1).words, 8)
})

test('a file of text is a task, and one that has too few words is named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'text.txt')
  await writeFile(file, 'one two three four five six seven eight nine ten\n'.repeat(4))
  const task = await createWordVectorsTask({ ...drawn, file, synonyms: 2 })
  t.deepEqual(
    task.schema.map(({ shape }) => shape),
    [
      [12, 12],
      [12, 12]
    ]
  )
  await t.throwsAsync(createWordVectorsTask({ ...drawn, file, minCount: 5 }), {
    message: `${file}: found 0 words that occur at least 5 times, among 40; expected at least 2`
  })
  await t.throwsAsync(createWordVectorsTask({ ...drawn, file, synonyms: 11 }), {
    message: 'found synonyms: 11 and 10 words, expected at most as many'
  })
  await t.throwsAsync(createWordVectorsTask({ ...drawn, file: `${file}.gone` }), {
    message: /cannot be read .*expected a file of plain text/
  })
})
