import { InputError } from '@murmuration/core'
import { readText } from '../files/read-text.js'

/** A text as numbers of words, 0 … words − 1. */
export interface WordText {
  readonly words: number
  readonly word: Uint32Array
  /** For each word of the text the number of its sentence, ascending. */
  readonly sentence: Uint32Array
}

/** A word, or an empty line, which ends a sentence. */
const token = /\n[ \t\r]*\n|[\p{L}\p{N}]+(?:['’]\p{L}+)*/gu

/**
 * A file of plain text: letters and digits, case-insensitive, in sentences that end at empty lines. Words that occur less than `minCount` times are
 * omitted.
 *
 * @throws InputError when it cannot be read, or has less than two such words
 */
export async function readWords(path: string, minCount: number): Promise<WordText> {
  return parseWords(await readText(path, 'a file of plain text'), path, minCount)
}

/** As {@link readWords}, for a text. Words are numbered from the most frequent one on. */
export function parseWords(text: string, name: string, minCount: number): WordText {
  const numbers = new Map<string, number>()
  const [counts, all, sentences]: [number[], number[], number[]] = [[], [], []]
  let sentence = 0
  for (const [match] of text.matchAll(token)) {
    if (match.startsWith('\n')) {
      sentence++
      continue
    }
    const word = match.toLowerCase()
    const number = numbers.get(word) ?? counts.length
    if (number === counts.length) numbers.set(word, counts.push(0) - 1)
    counts[number]++
    all.push(number)
    sentences.push(sentence)
  }
  const frequent = [...counts.keys()].filter((number) => counts[number] >= minCount)
  if (frequent.length < 2)
    throw new InputError(
      `${name}: found ${frequent.length} words that occur at least ${minCount} times, among ${all.length}; expected at least 2`
    )
  frequent.sort((left, right) => counts[right] - counts[left])
  const places = new Map(frequent.map((number, index) => [number, index]))
  const which = [...all.keys()].filter((n) => places.has(all[n]))
  return {
    words: frequent.length,
    word: Uint32Array.from(which, (n) => places.get(all[n]) ?? 0),
    sentence: Uint32Array.from(which, (n) => sentences[n])
  }
}
