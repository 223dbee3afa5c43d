import { InputError } from '@murmuration/core'
import { NumberedNames } from '../files/numbered-names.js'
import { NumberList } from '../files/number-list.js'
import { textBlocks } from '../files/read-text.js'

/** A text as numbers of words, 0 … words − 1. */
export interface WordText {
  readonly words: number
  readonly word: Uint32Array
  /** For each word of the text the number of its sentence, ascending. */
  readonly sentence: Uint32Array
}

/**
 * A word, or an empty line, which ends a sentence. Signs that belong to the letter before them are part of a word, as
 * vowels of Hindi and accents are; so are the marks that join letters or keep them apart, and those within a word of
 * Hebrew and Catalan (UAX #29, MidLetter).
 */
const token = /\n[ \t\r]*\n|[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200C\u200D]*(?:['’·׳״]\p{L}[\p{L}\p{M}\u200C\u200D]*)*/gu

/** Scripts that write words without blanks between them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Divides such texts by the dictionaries of ICU, which Node has. */
const dictionary = new Intl.Segmenter('und', { granularity: 'word' })

/** The maximum number of words of a text, 2^25. */
const maxWords = 2 ** 25

/**
 * A file of plain text: words of letters and digits, case-insensitive and in one normal form of Unicode, in sentences
 * that end at empty lines. Words that occur less than `minCount` times are omitted.
 *
 * @throws InputError when it cannot be read, has too many words, or less than two such words
 */
export async function readWords(path: string, minCount: number): Promise<WordText> {
  const reader = new WordReader(path)
  let rest = ''
  for await (const block of textBlocks(path, 'a file of plain text')) {
    const text = rest + block
    const end = endOfWords(text)
    reader.add(text.slice(0, end))
    rest = text.slice(end)
    if (rest.length > maxRest) throw new InputError(`${path}: no word ends within ${maxRest} characters; is it a text?`)
  }
  reader.add(rest)
  return reader.frequent(minCount)
}

/** As {@link readWords}, for a text. Words are numbered from the most frequent one on. */
export function parseWords(text: string, name: string, minCount: number): WordText {
  const reader = new WordReader(name)
  reader.add(text)
  return reader.frequent(minCount)
}

/** The maximum characters without a place where a text may be divided. */
const maxRest = 2 ** 22

/**
 * The last place before which no word, and no empty line, continues: before a blank or a line break that follows
 * neither.
 */
function endOfWords(text: string): number {
  for (let at = text.length - 1; at > 0; at--) if (isBlank(text[at]) && !isBlank(text[at - 1])) return at
  return 0
}

const isBlank = (character: string) =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r'

/** Collects the words of a text, which may be added in parts. */
class WordReader {
  readonly #name: string
  readonly #names = new NumberedNames('words')
  readonly #words = new NumberList(Uint32Array)
  readonly #sentences = new NumberList(Uint32Array)
  #sentence = 0

  constructor(name: string) {
    this.#name = name
  }

  add(text: string): void {
    for (const [match] of text.normalize().matchAll(token)) {
      if (match.startsWith('\n')) this.#sentence++
      else if (unspaced.test(match)) this.#addUnspaced(match)
      else this.#addWord(match.toLowerCase())
    }
  }

  #addUnspaced(text: string): void {
    for (const { segment, isWordLike } of dictionary.segment(text)) if (isWordLike) this.#addWord(segment.toLowerCase())
  }

  #addWord(word: string): void {
    if (this.#words.length === maxWords)
      throw new InputError(`${this.#name}: more than ${maxWords} words, the most that are read; use a part of the text`)
    this.#words.push(this.#names.numberOf(word, this.#name))
    this.#sentences.push(this.#sentence)
  }

  /** The text without the words that occur less than `minCount` times. */
  frequent(minCount: number): WordText {
    const words = this.#words.values
    const sentences = this.#sentences.values
    const counts = new Uint32Array(this.#names.count)
    for (const word of words) counts[word]++
    const frequent = new Uint32Array(counts.length)
      .map((_, number) => number)
      .filter((number) => counts[number] >= minCount)
    if (frequent.length < 2)
      throw new InputError(
        `${this.#name}: found ${frequent.length} words that occur at least ${minCount} times, among ${words.length}; expected at least 2`
      )
    frequent.sort((left, right) => counts[right] - counts[left])
    // One more than the number among the frequent ones, 0 for others.
    const places = new Uint32Array(counts.length)
    for (const [place, number] of frequent.entries()) places[number] = place + 1
    let length = 0
    for (let n = 0; n < words.length; n++) {
      const place = places[words[n]]
      if (place === 0) continue
      words[length] = place - 1
      sentences[length++] = sentences[n]
    }
    return { words: frequent.length, word: words.subarray(0, length), sentence: sentences.subarray(0, length) }
  }
}
