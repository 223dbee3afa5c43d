import { InputError } from '@murmuration/core'
import { textIn } from '#data/files/packed.js'
import { maxTextBytes } from './distinct-cells.js'
import { plainNumber } from './plain-number.js'
import { maxColumns } from './table.js'

const comma = 0x2c
const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * What a byte may be: part of a cell, a blank around a cell, a line break that may end a record, or a comma or a quote.
 */
const plain = 0
const blank = 1
const lineBreak = 2
const special = 3
const kinds = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0b, 0x0c]) kinds[byte] = blank
for (const byte of [lineFeed, carriageReturn]) kinds[byte] = lineBreak
for (const byte of [comma, quote]) kinds[byte] = special

/** How a cell is written: without quotes, in quotes, or in quotes with doubled quotes within. */
const bare = 0
const quoted = 1
const doubled = 2

/**
 * The records of a CSV file (RFC 4180), one after the other, as places in its bytes: no text is made of a cell that
 * nobody asks for. Cells are
 * trimmed, empty lines skipped. The first line break outside of quotes decides which one ends records: CR LF, LF or CR.
 */
export class CsvScanner {
  /** The cells of the present record, and the line in which it ends, from 1. */
  width = 0
  line = 0
  readonly #name: string
  readonly #bytes: Uint8Array
  #at = 0
  #nextLine = 1
  #recordBreak: 'CR LF' | 'LF' | 'CR' | undefined
  #starts = new Uint32Array(64)
  #ends = new Uint32Array(64)
  #writings = new Uint8Array(64)

  /** @param bytes - in UTF-8, without a byte order mark */
  constructor(name: string, bytes: Uint8Array) {
    this.#name = name
    this.#bytes = bytes
  }

  /**
   * Goes to the next record. Returns false after the last one. Throws an {@link InputError} that names the line of what
   * is no CSV.
   */
  next(): boolean {
    while (this.#at < this.#bytes.length) {
      const length = this.#breakAt(this.#at)
      if (length > 0) this.#passBreak(length)
      else {
        this.#scanRecord()
        if (!this.#isEmpty()) return true
      }
    }
    return false
  }

  /** The content of a cell. Throws an {@link InputError} for one that is too long for a name, a class or a number. */
  text(column: number): string {
    const start = this.#starts[column]
    const end = this.#ends[column]
    const writing = this.#writings[column]
    if (end - start > maxTextBytes)
      throw this.#wrong(this.line, column, `has ${end - start} bytes, expected at most ${maxTextBytes}`)
    const text = textIn(this.#bytes, start, end)
    if (writing === bare) return text.trim()
    return writing === quoted ? text : text.replaceAll('""', '"')
  }

  /** The contents of all cells. */
  texts(): readonly string[] {
    return Array.from({ length: this.width }, (_, column) => this.text(column))
  }

  /**
   * The number in a cell whose value is that of its digits; NaN for any other, also for a number that is written in
   * another way.
   */
  plainNumber(column: number): number {
    return plainNumber(this.#bytes, this.#starts[column], this.#ends[column])
  }

  #scanRecord(): void {
    const bytes = this.#bytes
    let column = 0
    for (let isLast = false; !isLast; column++) {
      if (column === maxColumns)
        throw new InputError(
          `${this.#name}: line ${this.#nextLine} has more than ${maxColumns} cells, the most that a table may have`
        )
      if (column === this.#starts.length) this.#makeRoom()
      this.#skipBlanks()
      if (bytes[this.#at] === quote) this.#scanQuoted(column)
      else this.#scanBare(column)
      isLast = bytes[this.#at] !== comma
      if (!isLast) this.#at++
    }
    this.width = column
    this.line = this.#nextLine
    if (this.#at < bytes.length) this.#passBreak(this.#breakAt(this.#at))
  }

  /** A cell up to the next comma, the end of the record or of the file. */
  #scanBare(column: number): void {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    for (; at < bytes.length; at++) {
      const kind = kinds[bytes[at]]
      if (kind < lineBreak) continue
      if (kind === special) {
        if (bytes[at] === comma) break
        throw this.#wrong(this.#nextLine, column, 'has a quote within; put the cell in quotes, and double those within')
      }
      if (this.#breakAt(at) > 0) break
      this.#countLine(at)
    }
    this.#at = at
    while (at > start && kinds[bytes[at - 1]] !== plain) at--
    this.#place(column, start, at, bare)
  }

  /** A cell in quotes, and the blanks after it. */
  #scanQuoted(column: number): void {
    const bytes = this.#bytes
    const start = this.#at + 1
    const firstLine = this.#nextLine
    let writing = quoted
    let at = start
    for (; bytes[at] !== quote || bytes[at + 1] === quote; at++) {
      if (at >= bytes.length) throw this.#wrong(firstLine, column, 'begins with a quote that is not closed')
      if (kinds[bytes[at]] === lineBreak) this.#countLine(at)
      if (bytes[at] !== quote) continue
      writing = doubled
      at++
    }
    this.#place(column, start, at, writing)
    this.#at = at + 1
    this.#skipBlanks()
    if (this.#at >= bytes.length || bytes[this.#at] === comma || this.#breakAt(this.#at) > 0) return
    throw this.#wrong(
      this.#nextLine,
      column,
      'continues after a closing quote, expected a comma or the end of the line'
    )
  }

  /** Blanks are also line breaks that end no record, and those of several bytes, such as no-break spaces. */
  #skipBlanks(): void {
    while (this.#at < this.#bytes.length) {
      const length = this.#blankAt(this.#at)
      if (length === 0) return
      if (kinds[this.#bytes[this.#at]] === lineBreak) this.#countLine(this.#at)
      this.#at += length
    }
  }

  /** The bytes of the blank at `at`, 0 if there is none. */
  #blankAt(at: number): number {
    const byte = this.#bytes[at]
    const kind = kinds[byte]
    if (kind === blank) return 1
    if (kind === lineBreak) return this.#breakAt(at) > 0 ? 0 : 1
    if (byte < 0xc2 || byte > 0xe3) return 0
    const length = byte < 0xe0 ? 2 : 3
    return textIn(this.#bytes, at, at + length).trim() === '' ? length : 0
  }

  /** The length of the end of a record at `at`, 0 if there is none. */
  #breakAt(at: number): number {
    const byte = this.#bytes[at]
    if (kinds[byte] !== lineBreak) return 0
    const isPair = byte === carriageReturn && this.#bytes[at + 1] === lineFeed
    this.#recordBreak ??= isPair ? 'CR LF' : byte === lineFeed ? 'LF' : 'CR'
    if (this.#recordBreak === 'CR LF') return isPair ? 2 : 0
    return byte === (this.#recordBreak === 'LF' ? lineFeed : carriageReturn) ? 1 : 0
  }

  #passBreak(length: number): void {
    this.#at += length
    this.#nextLine++
  }

  /** Counts a line break within a record. CR LF is one. */
  #countLine(at: number): void {
    if (this.#bytes[at] === lineFeed || this.#bytes[at + 1] !== lineFeed) this.#nextLine++
  }

  #isEmpty(): boolean {
    if (this.width > 1 || this.#writings[0] !== bare) return false
    const start = this.#starts[0]
    const end = this.#ends[0]
    return start === end || (this.#bytes[start] > 0x7f && this.text(0) === '')
  }

  #place(column: number, start: number, end: number, writing: number): void {
    this.#starts[column] = start
    this.#ends[column] = end
    this.#writings[column] = writing
  }

  #makeRoom(): void {
    const length = 2 * this.#starts.length
    const larger = <List extends Uint32Array | Uint8Array>(list: List, next: List) => (next.set(list), next)
    this.#starts = larger(this.#starts, new Uint32Array(length))
    this.#ends = larger(this.#ends, new Uint32Array(length))
    this.#writings = larger(this.#writings, new Uint8Array(length))
  }

  #wrong(line: number, column: number, what: string): InputError {
    return new InputError(`${this.#name}: line ${line}, column ${column + 1} ${what}`)
  }
}
