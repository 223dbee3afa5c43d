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
  /** The number of characters in a sample. */
  readonly context?: number | undefined
  /** Samples that these have to fit: characters get the same numbers. */
  readonly like?: Pick<Source, 'classNames'> | undefined
}

/** The number of characters in a sample unless a task gives one. */
export const defaultContext = 64

/** The maximum characters of all files together: their numbers are kept as float32, once as inputs and once as targets. */
const maxCharacters = 2 ** 26

/** The maximum number of different characters. */
const maxAlphabet = 10_000

/**
 * The samples of text files in UTF-8, concatenated in the order given. Throws an {@link InputError} that gives the position where a file is no such
 * text.
 */
export function textSource(files: readonly TextFile[], reading: TextReading = {}): Source {
  const name = files.map((file) => file.name).join(', ')
  const length = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  // Longer than any text that is short enough: a character has at most 4 bytes.
  if (length > 4 * maxCharacters) throw tooLong(name, `${length} bytes`)
  return windows(files.map(decoded).join(''), name, reading)
}

/**
 * The windows of a text: sample k has the characters k·c … k·c + c − 1 as `[c]` inputs, c being the context, and as `[c]` targets the characters that
 * follow each. So every character but the first is predicted once. The number of a character is its index among all that occur, in the order of their
 * code points. The samples are a sequence: the last ones are held back for testing. Throws an {@link InputError} for a text that is too short or too
 * long, or has characters that `like` lacks.
 *
 * @param name - the name of the text in errors
 */
export function windows(text: string, name: string, { context = defaultContext, like }: TextReading): Source {
  if (text.length > 2 * maxCharacters) throw tooLong(name, `${text.length} characters`)
  const characters = [...text]
  if (characters.length > maxCharacters) throw tooLong(name, `${characters.length} characters`)
  if (characters.length <= context)
    throw new InputError(
      `${name}: has ${characters.length} characters, expected at least ${context + 1}: a context of ${context} and the next one`
    )
  const alphabet = like?.classNames ?? alphabetOf(characters)
  if (alphabet.length > maxAlphabet)
    throw new InputError(
      `${name}: has ${alphabet.length} different characters, expected at most ${maxAlphabet}; is it a text?`
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

/** The indices of characters in an alphabet. Throws an {@link InputError} that gives the position of one that is not in it. */
export function numbered(characters: readonly string[], alphabet: readonly string[], name: string): Uint16Array {
  const places = new Map(alphabet.map((character, index) => [character, index]))
  return Uint16Array.from(characters, (character, offset) => {
    const index = places.get(character)
    if (index !== undefined) return index
    throw new InputError(
      `${name}: ${positionOf(characters, offset)} is ${shown(character)}, expected one of the ${alphabet.length} known characters: ${shown(alphabet.join(''))}`
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
    `${name}: ${positionOf(characters, characters.indexOf('\uFFFD'))} is not UTF-8; save the text as UTF-8`
  )
}

/** `line 3, character 5`, both from 1. */
function positionOf(characters: readonly string[], offset: number): string {
  const before = characters.slice(0, offset)
  const line = before.filter((character) => character === '\n').length + 1
  return `line ${line}, character ${offset - before.lastIndexOf('\n')}`
}

const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

function tooLong(name: string, found: string): InputError {
  return new InputError(`${name}: has ${found}, expected at most ${maxCharacters} characters; use a part of the text`)
}
