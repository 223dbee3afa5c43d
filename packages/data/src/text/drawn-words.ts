import { createRandom } from '@murmuration/random'
import { cumulated, firstAbove } from '../zipf.js'
import type { WordText } from './words.js'

/** The parameters of a random text. */
export interface WordsOptions {
  /** The number of different words. */
  readonly words: number
  /** The number of words in the text. */
  readonly length: number
  readonly seed: number
}

/** How many followers a word has, and how often one of them comes next. */
const followers = 4
const followed = 0.7
const sentenceLength = 20

/**
 * A text in which words have typical followers: after each word comes one of the four that belong to it, or else any
 * word. Both are drawn by Zipf's law with exponent 1; word 0 is the most frequent.
 */
export function drawWords({ words, length, seed }: WordsOptions): WordText {
  const random = createRandom(seed, 'text')
  const upTo = cumulated(words, 1)
  const any = () => firstAbove(upTo, random.uniform() * upTo[words - 1])
  const next = Uint32Array.from({ length: words * followers }, any)
  const text = { words, word: new Uint32Array(length), sentence: new Uint32Array(length) }
  for (let n = 0; n < length; n++) {
    const isFirst = n % sentenceLength === 0
    const follows = !isFirst && random.uniform() < followed
    text.word[n] = follows ? next[text.word[n - 1] * followers + random.integer(followers)] : any()
    text.sentence[n] = Math.floor(n / sentenceLength)
  }
  return text
}

/**
 * Splits each of the `count` most frequent words into two synonyms: any occurrence of word w becomes word `words` + w
 * with probability ½. So the synonyms are known. Words are numbered in the order of their frequency.
 */
export function plantSynonyms(text: WordText, count: number, seed: number): WordText {
  const random = createRandom(seed, 'synonyms')
  const word = text.word.map((synonym) => (synonym < count && random.uniform() < 0.5 ? text.words + synonym : synonym))
  return { ...text, words: text.words + count, word }
}
