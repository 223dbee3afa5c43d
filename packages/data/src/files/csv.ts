import { InputError } from '@murmuration/core'
import { CsvScanner } from './csv-scanner.js'
import { DistinctCells } from './distinct-cells.js'
import {
  checkedNumber,
  firstRepeated,
  isNumber,
  isWord,
  labelNames,
  maxCells,
  type Table,
  type TableFile,
  type TableHead,
  tooManyCells,
  type WantedColumns
} from './table.js'

/**
 * A CSV file with a target.
 *
 * @param wanted - chooses columns when the first line is known
 * @throws InputError that names the file, and the line, for what is no CSV or has no values
 */
export function readCsv(file: TableFile, wanted: (head: TableHead) => WantedColumns): Table {
  const isHeader = (cells: readonly string[]) =>
    cells.slice(0, -1).some(isWord) || labelNames.includes(cells[cells.length - 1].toLowerCase())
  return tableOf(file, isHeader, wanted)
}

/** A CSV file of inputs, perhaps without a target. Throws as {@link readCsv} does. */
export function readCsvInputs(file: TableFile, wanted: (head: TableHead) => WantedColumns): Table {
  return tableOf(file, (cells) => cells.some(isWord), wanted)
}

/** A first line is a header if any cell is no number; the last cell does not count, since it may be a class. */
function tableOf(
  { name, bytes }: TableFile,
  isHeader: (cells: readonly string[]) => boolean,
  wanted: (head: TableHead) => WantedColumns
): Table {
  const scanner = new CsvScanner(name, inUtf8(bytes))
  const first = scanner.next() ? scanner.texts() : []
  const names = first.length > 0 && isHeader(first) ? first : undefined
  if (first.length === 0 || (names !== undefined && !scanner.next()))
    throw new InputError(`${name}: found no line with values, expected at least one`)
  const repeated = names && firstRepeated(names)
  if (repeated !== undefined)
    throw new InputError(`${name}: line 1 names two columns "${repeated}"; each needs its own name`)
  const head = { name, names, namesAt: 'line 1', width: first.length } as const
  return filled(scanner, head, wanted(head), Math.floor(bytes.length / head.width) + 1)
}

/**
 * Reads the records from the present one on. @param maxRows - how many there may be: each cell has a byte, at least
 * that of the comma or line break
 */
function filled(scanner: CsvScanner, head: TableHead, wanted: WantedColumns, maxRows: number): Table {
  const { name, width } = head
  const rows = Math.min(maxRows, Math.floor(maxCells / width))
  const lines = new Uint32Array(rows)
  const numbers = new Float32Array(rows * wanted.numbers.length)
  const classes = wanted.classes === undefined ? undefined : new DistinctCells(rows)
  let count = 0
  let place = 0
  do {
    if (scanner.width !== width)
      throw new InputError(
        `${name}: line ${scanner.line} has ${scanner.width} cells, expected ${width} as in the first line`
      )
    if (count === rows) throw tooManyCells(name, 'use a part of the lines')
    lines[count] = scanner.line
    for (const column of wanted.numbers) numbers[place++] = numberIn(scanner, column, head)
    if (wanted.classes !== undefined) classes?.add(count, scanner.text(wanted.classes))
    count++
  } while (!classes?.isFull && scanner.next())
  return { ...head, count, place: (row) => `line ${lines[row]}`, wanted, numbers: numbers.subarray(0, place), classes }
}

function numberIn(scanner: CsvScanner, column: number, head: TableHead): number {
  const plain = scanner.plainNumber(column)
  if (!Number.isNaN(plain)) return plain
  const text = scanner.text(column)
  const value = isNumber(text) ? Number(text) : Number.NaN
  return checkedNumber(value, text, head, `line ${scanner.line}`, column)
}

/** Without the byte order mark. A file in UTF-16 begins with one. */
function inUtf8(bytes: Buffer): Buffer {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(bytes.toString('utf16le', 2))
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
