/** Texts as samples for a model of characters. */
import { InputError } from '@murmuration/core'
import { charactersIn, inUtf8 } from '../files/utf8.js'
import type { Source } from '../source.js'

/** A text file, unpacked. */
export interface TextFile {
  readonly name: string
  readonly bytes: Uint8Array
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

/**
 * The maximum characters of all files together: their numbers are kept as float32, once as inputs and once as targets.
 */
const maxCharacters = 2 ** 26

/** The maximum bytes of all files together: a character has at most 4. */
export const maxTextsBytes = 4 * maxCharacters

/** The maximum number of different characters. */
const maxAlphabet = 10_000

const points = 0x110000

/**
 * The samples of text files in UTF-8, concatenated in the order given. Throws an {@link InputError} that gives the
 * position where a file is no such text.
 */
export function textSource(files: readonly TextFile[], reading: TextReading = {}): Source {
  const name = files.map((file) => file.name).join(', ')
  const length = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (length > maxTextsBytes) throw tooLong(name, `${length} bytes`)
  return windowsOf(
    files.map(({ name: file, bytes }) => inUtf8(file, bytes)),
    name,
    reading
  )
}

/**
 * The windows of a text: sample k has the characters k·c … k·c + c − 1 as `[c]` inputs, c being the context, and as
 * `[c]` targets the characters that follow each. So every character but the first is predicted once. The number of a
 * character is its index among all that occur, in the order of their code points. The samples are a sequence: the last
 * ones are held back for testing. Throws an {@link InputError} for a text that is too short or too long, or has
 * characters that `like` lacks.
 *
 * @param name - the name of the text in errors
 */
export function windows(text: string, name: string, reading: TextReading): Source {
  return windowsOf([new TextEncoder().encode(text)], name, reading)
}

/**
 * As {@link windows}, for the parts of a text in UTF-8. No string is made of it, and no list: these take many bytes for
 * each character.
 */
function windowsOf(
  parts: readonly Uint8Array[],
  name: string,
  { context = defaultContext, like }: TextReading
): Source {
  const length = parts.reduce((sum, part) => sum + charactersIn(part), 0)
  if (length > maxCharacters) throw tooLong(name, `${length} characters`)
  if (length <= context)
    throw new InputError(
      `${name}: has ${length} characters, expected at least ${context + 1}: a context of ${context} and the next one`
    )
  const alphabet = like?.classNames ?? alphabetOf(parts)
  if (alphabet.length > maxAlphabet)
    throw new InputError(
      `${name}: has ${alphabet.length} different characters, expected at most ${maxAlphabet}; is it a text?`
    )
  const numbers = numbersIn(parts, { length, alphabet, name })
  const count = Math.floor((numbers.length - 1) / context)
  return {
    count,
    inputShape: [context],
    targetShape: [context],
    targets: new Float32Array(numbers.subarray(1, count * context + 1)),
    classes: alphabet.length,
    classNames: alphabet,
    preprocessing: { kind: 'text' },
    isSequence: true,
    read: (index, out) => out.set(numbers.subarray(index * context, (index + 1) * context))
  }
}

/**
 * The indices of characters in an alphabet. Throws an {@link InputError} that gives the position of one that is not in
 * it.
 */
export function numbered(characters: readonly string[], alphabet: readonly string[], name: string): Uint16Array {
  const { length } = characters
  return Uint16Array.from(numbersIn([new TextEncoder().encode(characters.join(''))], { length, alphabet, name }))
}

/** The indices of all characters in an alphabet, of which there are `length`. */
function numbersIn(
  parts: readonly Uint8Array[],
  { length, alphabet, name }: { readonly length: number; readonly alphabet: readonly string[]; readonly name: string }
): Uint8Array | Uint16Array {
  const places = new Uint16Array(points)
  for (const [index, character] of alphabet.entries())
    if (isOneCharacter(character)) places[character.codePointAt(0) ?? 0] = index + 1
  const numbers = alphabet.length > 256 ? new Uint16Array(length) : new Uint8Array(length)
  let offset = 0
  let line = 1
  let lineStart = 0
  for (const part of parts)
    forEachCharacter(part, (point) => {
      if (places[point] === 0)
        throw new InputError(
          `${name}: line ${line}, character ${offset - lineStart + 1} is ${shown(String.fromCodePoint(point))}, expected one of the ${alphabet.length} known characters: ${shown(alphabet.join(''))}`
        )
      numbers[offset++] = places[point] - 1
      if (point !== lineFeed) return
      line++
      lineStart = offset
    })
  return numbers
}

const lineFeed = 0x0a

const isOneCharacter = (text: string) => text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)

function alphabetOf(parts: readonly Uint8Array[]): readonly string[] {
  const occurs = new Uint8Array(points)
  for (const part of parts) forEachCharacter(part, (point) => (occurs[point] = 1))
  const alphabet: string[] = []
  for (let point = 0; point < points; point++) if (occurs[point] === 1) alphabet.push(String.fromCodePoint(point))
  return alphabet
}

/** Calls `use` with the code point of each character of valid UTF-8. */
function forEachCharacter(bytes: Uint8Array, use: (point: number) => void): void {
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++]
    const following = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
    let point = following === 0 ? first : first & (0x3f >> following)
    for (let k = 0; k < following; k++) point = (point << 6) | (bytes[at++] & 0x3f)
    use(point)
  }
}

const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

function tooLong(name: string, found: string): InputError {
  return new InputError(`${name}: has ${found}, expected at most ${maxCharacters} characters; use a part of the text`)
}
