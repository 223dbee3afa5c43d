import { InputError } from '@murmuration/core'
import { textIn } from '#data/files/packed.js'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const hash = 0x23

/** The maximum characters of a file that a message repeats. */
const maxShown = 40

/**
 * The words of a text file, line by line: what blanks and tabs separate, without comments, which begin with `#`. Lines
 * end with LF, CR LF or CR.
 */
export class WordScanner {
  readonly bytes: Uint8Array
  /** The present word, and its line, from 1. */
  start = 0
  end = 0
  line = 0
  readonly #name: string
  #lineStart = 0
  #nextStart = 0

  /** @param bytes - in UTF-8, without a byte order mark */
  constructor(name: string, bytes: Uint8Array) {
    this.#name = name
    this.bytes = bytes
  }

  /** Goes to the first word of the next line that has words. Returns false after the last one. */
  nextLine(): boolean {
    while (this.#nextStart < this.bytes.length) {
      this.#lineStart = this.#nextStart
      this.#nextStart = this.#endOfLine(this.#lineStart)
      this.end = this.#lineStart
      this.line++
      if (this.nextWord()) return true
    }
    return false
  }

  /** Goes to the next word of the line. Returns false after the last one. */
  nextWord(): boolean {
    const { bytes } = this
    let at = this.end
    while (at < this.#nextStart && isBlank(bytes[at])) at++
    this.start = at
    while (at < this.#nextStart && !isBlank(bytes[at]) && bytes[at] !== hash) at++
    this.end = at
    return at > this.start
  }

  /** A part of the present word as text. */
  text(start = this.start, end = this.end): string {
    return textIn(this.bytes, start, end)
  }

  /** The error for the present word. */
  wrong(expected: string): InputError {
    const text = this.text(this.start, Math.min(this.end, this.start + maxShown))
    const shown = this.end - this.start > maxShown ? `${text}…` : text
    const column = this.start - this.#lineStart + 1
    return new InputError(`${this.#name}: line ${this.line}, column ${column}: found "${shown}", expected ${expected}`)
  }

  /** Where the line after that at `start` begins. */
  #endOfLine(start: number): number {
    const { bytes } = this
    let at = start
    while (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++
    const breakBytes = bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? 2 : 1
    return Math.min(at + breakBytes, bytes.length)
  }
}

/** Blanks, tabs, line breaks and the like. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
