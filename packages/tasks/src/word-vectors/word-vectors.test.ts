import type { WordText } from '@murmuration/data'
import { createRandom, normals } from '@murmuration/random'
import test from 'ava'
import { RowsModel } from '../rows-model.js'
import { AliasTable } from './alias-table.js'
import { WordVectors, type WordVectorsSettings } from './word-vectors.js'

const plain = { rank: 3, window: 2, negatives: 3, subsample: 0, seed: 5 }

/** A text of words in sentences; the last word is the test part. */
function modelOf(sentences: readonly (readonly number[])[], settings: Partial<WordVectorsSettings> = {}): WordVectors {
  const word = Uint32Array.from(sentences.flat())
  const sentence = Uint32Array.from(sentences.flatMap((words, place) => words.map(() => place)))
  const text: WordText = { words: Math.max(...word) + 1, word, sentence }
  return new WordVectors(text, word.length - 1, [], { ...plain, ...settings })
}

/** The context words of a place in a round, from a model without negatives. */
function companyOf(model: WordVectors, place: number, round: number): readonly number[] {
  const keys = new RowsModel(model).rows(0).keysOf(Uint32Array.of(place), round)
  return [...keys].filter((key) => key >= model.count / 2).map((key) => key - model.count / 2)
}

test('every number of the gradient is the slope of the loss along it, by finite differences', (t) => {
  const seeds = process.env.SEED === undefined ? [1, 2, 3] : [Number(process.env.SEED)]
  for (const seed of seeds) {
    const replay = `SEED=${seed} npx ava packages/tasks/dist/word-vectors/word-vectors.test.js --match='every number*'`
    const random = createRandom(seed, 'word vectors')
    const words = Array.from({ length: 60 }, () => random.integer(10))
    const settings = { rank: 1 + random.integer(4), window: 1 + random.integer(3), negatives: random.integer(5), seed }
    const model = new RowsModel(modelOf([words.slice(0, 25), words.slice(25)], { ...settings, subsample: 0.05 }))
    const x = Float32Array.from(normals(model.length, random))
    const batch = Uint32Array.from({ length: 8 }, () => random.integer(59))
    const round = random.integer(9)
    const gradient = new Float32Array(x.length)
    const scratch = new Float32Array(x.length)
    model.gradient(x, 0, batch, gradient, round)
    const lossAt = (at: number, by: number) => {
      const moved = x.slice()
      moved[at] += by
      return { loss: model.gradient(moved, 0, batch, scratch, round), at: moved[at] }
    }
    for (let at = 0; at < x.length; at++) {
      const up = lossAt(at, 0.001)
      const down = lossAt(at, -0.001)
      const slope = (up.loss - down.loss) / (up.at - down.at)
      if (Math.abs(slope - gradient[at]) > 1e-4 * (1 + Math.abs(slope)))
        return t.fail(`${at}: ${slope}, and ${gradient[at]} by the gradient; ${replay}`)
    }
    t.true(gradient.some((value) => value !== 0) && gradient.includes(0), replay)
  }
})

test('the loss of a word is that of equation 4: its company, and the negatives that are not the company', (t) => {
  const model = modelOf([[0, 1], [0]], { negatives: 4 })
  const x = Float32Array.from(normals(model.count * 3, createRandom(3)))
  const identity = Uint32Array.from({ length: model.count }, (_, key) => 3 * key)
  const score = (u: number) => [0, 1, 2].reduce((sum, k) => sum + x[3 * (2 + u) + k] * x[k], 0)
  const company = Math.log(1 + Math.exp(-score(1)))
  const negative = Math.log(1 + Math.exp(score(0)))
  let drawn = 0
  for (let round = 0; round < 2000; round++) {
    const loss = model.addGradient(x, identity, 0, round, 1, new Float32Array(x.length))
    const times = (loss - company) / negative
    t.true(Math.abs(times - Math.round(times)) < 1e-6 && times > -0.5 && times < 4.5, `round ${round}: ${times}`)
    drawn += Math.round(times)
  }
  // Both words occur once.
  t.true(Math.abs(drawn / 8000 - 0.5) < 0.03, `${drawn} of 8000 negatives`)
})

test('the company is 1 to `window` words to each side, each as often, within the sentence and apart from the test', (t) => {
  const model = modelOf(
    [
      [0, 1, 2, 3, 4, 5, 6],
      [7, 8],
      [9, 10]
    ],
    { window: 3, negatives: 0 }
  )
  const counts = new Map<string, number>()
  for (let round = 0; round < 3000; round++) {
    const words = companyOf(model, 3, round).join(' ')
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  t.deepEqual([...counts.keys()].sort(), ['0 1 2 4 5 6', '1 2 4 5', '2 4'])
  for (const count of counts.values()) t.true(Math.abs(count - 1000) < 120, `${count}`)
  for (let round = 0; round < 20; round++) {
    t.deepEqual(companyOf(model, 7, round), [8])
    t.deepEqual(companyOf(model, 9, round), [])
  }
})

test('a frequent word is left out with chance 1 − √(t / f), and a farther one takes its place', (t) => {
  // Word 0 is half of the text: with t = 0.02 it is kept in a fifth of the rounds, all others in more than half.
  const sentence = [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0]
  const model = modelOf([sentence, [1]], { window: 1, negatives: 0, subsample: 0.02 })
  const rounds = Array.from({ length: 4000 }, (_, round) => round)
  const kept = rounds.filter((round) => companyOf(model, 3, round).length > 0).length
  t.true(Math.abs(kept / 4000 - 0.2) < 0.025, `${kept}`)
  const company = rounds.flatMap((round) => companyOf(model, 8, round))
  t.true(company.includes(4) && company.includes(6) && company.includes(3), 'words beyond those that are left out')
})

test('an alias table draws each place as often as its weight says', (t) => {
  const weights = [1, 0, 7, 2.5, 0.5, 13]
  const table = new AliasTable(weights)
  const counts = weights.map(() => 0)
  for (let place = 0; place < weights.length; place++)
    for (let n = 0; n < 4000; n++) counts[table.draw(place, (n + 0.5) / 4000)]++
  for (const [place, weight] of weights.entries())
    t.true(Math.abs(counts[place] - (weight / 24) * 24_000) <= 6, `${place}`)
})

test('a synonym is found where the other one is nearest by the cosine, among all words but itself', (t) => {
  const text = { words: 4, word: Uint32Array.of(0, 1, 2, 3), sentence: new Uint32Array(4) }
  const pairs = [
    [0, 1],
    [1, 0],
    [2, 3],
    [3, 2]
  ] as const
  const model = new WordVectors(text, 3, pairs, { ...plain, rank: 2 })
  const company = [0, 0, 0, 0, 0, 0, 0, 0]
  const of = (...vectors: readonly number[]) => model.evaluate(Float32Array.of(...vectors, ...company)).accuracy
  t.is(of(1, 0, 5, 1, 0, 1, 1, 5), 1)
  // The fourth is nearest to the second.
  t.is(of(1, 0, 5, 1, -1, 1, 1, 0.5), 0.75)
  // A vector of 0 is nearest to none.
  t.is(of(1, 0, 0, 0, 0, 1, 1, 5), 0.5)
})
