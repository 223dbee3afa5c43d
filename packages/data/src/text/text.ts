/** Texts as samples for a model of characters. */
import { isUtf8 } from 'node:buffer'
import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'

/** A text file, unpacked. */
export interface TextFile {
  readonly name: string
  readonly bytes: Buffer
}

/** How texts are read. */
export interface TextReading {
  /** How many characters a sample has. */
  readonly context?: number | undefined
  /** Samples that these have to fit: their characters are numbered as theirs. */
  readonly like?: Pick<Source, 'classNames'> | undefined
}

/** How many characters a sample has unless a task says it. */
export const defaultContext = 64

/** The most characters of all files together: their numbers are kept as float32, once as inputs and once as targets. */
const maxCharacters = 2 ** 26

/** The most different characters. */
const maxAlphabet = 10_000

/** The samples of text files in UTF-8, put together in the order given. Throws an {@link InputError} that says where a file is no such text. */
export function textSource(files: readonly TextFile[], reading: TextReading = {}): Source {
  // More than any text that is short enough: a character has 4 bytes at most.
  const long = files.find(({ bytes }) => bytes.length > 4 * maxCharacters)
  if (long !== undefined) throw tooLong(long.name, `${long.bytes.length} bytes`)
  const texts = files.map(decoded)
  return windows(texts.join(''), files.map(({ name }) => name).join(', '), reading)
}

/**
 * The windows of a text: sample k has the characters k·c … k·c + c − 1 of it as `[c]` inputs, c being the context, and as `[c]` targets those that follow each. So every
 * character but the first is predicted once. A character counts as its place among all that there are, in the order of their code points. The samples follow each other:
 * the last are those that are held back. Throws an {@link InputError} for a text that is too short or too long, or has characters that `like` has not.
 *
 * @param name - what the text is called in errors
 */
export function windows(text: string, name: string, { context = defaultContext, like }: TextReading): Source {
  if (text.length > 2 * maxCharacters) throw tooLong(name, `${text.length} characters`)
  const characters = [...text]
  if (characters.length > maxCharacters) throw tooLong(name, `${characters.length} characters`)
  if (characters.length <= context)
    throw new InputError(
      `${name}: has ${characters.length} characters; at least ${context + 1} are expected, the context of ${context} and the one that follows`
    )
  const alphabet = like?.classNames ?? alphabetOf(characters)
  if (alphabet.length > maxAlphabet)
    throw new InputError(
      `${name}: has ${alphabet.length} different characters, at most ${maxAlphabet} are expected; is it a text?`
    )
  const numbers = numbered(characters, alphabet, name)
  const count = Math.floor((numbers.length - 1) / context)
  return {
    count,
    inputShape: [context],
    targetShape: [context],
    targets: Float32Array.from(numbers.subarray(1, count * context + 1)),
    classes: alphabet.length,
    classNames: alphabet,
    preprocessing: { kind: 'text' },
    isSequence: true,
    read: (index, out) => out.set(numbers.subarray(index * context, (index + 1) * context))
  }
}

/** The places of characters in an alphabet. Throws an {@link InputError} that says where one is that is not in it. */
export function numbered(characters: readonly string[], alphabet: readonly string[], name: string): Uint16Array {
  const places = new Map(alphabet.map((character, place) => [character, place]))
  return Uint16Array.from(characters, (character, at) => {
    const place = places.get(character)
    if (place !== undefined) return place
    throw new InputError(
      `${name}: ${positionOf(characters, at)} is ${shown(character)}, which is none of the ${alphabet.length} characters that are known: ${shown(alphabet.join(''))}`
    )
  })
}

function alphabetOf(characters: readonly string[]): readonly string[] {
  const pointOf = (character: string) => character.codePointAt(0) ?? 0
  return [...new Set(characters)].sort((left, right) => pointOf(left) - pointOf(right))
}

function decoded({ name, bytes }: TextFile): string {
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return text.replace(/^\uFEFF/, '')
  const characters = [...text]
  throw new InputError(
    `${name}: ${positionOf(characters, characters.indexOf('\uFFFD'))} is no UTF-8; save it as a text in UTF-8`
  )
}

/** `line 3, character 5`, both from 1. */
function positionOf(characters: readonly string[], at: number): string {
  const before = characters.slice(0, at)
  const line = before.filter((character) => character === '\n').length + 1
  return `line ${line}, character ${at - before.lastIndexOf('\n')}`
}

const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

function tooLong(name: string, found: string): InputError {
  return new InputError(
    `${name}: has ${found}; at most ${maxCharacters} characters are expected, take a part of the text`
  )
}
