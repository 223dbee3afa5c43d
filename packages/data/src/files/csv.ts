import { InputError } from '@murmuration/core'
import { isWord, numberIn } from './cells.js'
import { type HeaderFacts, isHeader } from './csv-header.js'
import { CsvScanner } from './csv-scanner.js'
import { DistinctCells } from './distinct-cells.js'
import {
  checkedNumber,
  firstRepeated,
  maxCells,
  type Table,
  type TableFile,
  type TableHead,
  type TableReading,
  tooManyCells,
  type WantedColumns
} from './table.js'
import { contentOf } from './utf8.js'

/**
 * A CSV file with a target.
 *
 * @param wanted - chooses columns when the first line is known
 * @param earlier - the names of columns in an earlier file of the same table
 * @throws InputError that names the file, and the line, for what is no CSV or has no values
 */
export function readCsv(
  file: TableFile,
  wanted: (head: TableHead) => WantedColumns,
  { target, targets, like }: TableReading = {},
  earlier?: readonly string[]
): Table {
  const names = earlier ?? (like?.preprocessing?.kind === 'numbers' ? like.preprocessing.names : undefined)
  return tableOf(file, { hasTarget: true, target, targets, names }, wanted)
}

/**
 * A CSV file of inputs, perhaps without a target. Throws as {@link readCsv} does.
 *
 * @param names - the names of columns that it has if it has names
 */
export function readCsvInputs(
  file: TableFile,
  wanted: (head: TableHead) => WantedColumns,
  names?: readonly string[]
): Table {
  return tableOf(file, { hasTarget: false, names }, wanted)
}

function tableOf(file: TableFile, facts: HeaderFacts, wanted: (head: TableHead) => WantedColumns): Table {
  const { name } = file
  const bytes = contentOf(file)
  const scanner = new CsvScanner(name, bytes)
  const first = scanner.next() ? scanner.texts().map((cell) => cell.normalize()) : []
  refuseOtherDelimiters(name, first)
  const knownNames = facts.names?.map((each) => each.normalize())
  const target = facts.target?.normalize()
  const names =
    first.length > 0 && isHeader(first, { ...facts, target, names: knownNames }, () => secondRow(name, bytes))
      ? namesAbove(first, () => secondRow(name, bytes))
      : undefined
  if (first.length === 0 || (names !== undefined && !scanner.next()))
    throw new InputError(`${name}: found no line with values, expected at least one`)
  const repeated = names && firstRepeated(names.slice(names.findIndex((each) => each !== '')))
  if (repeated !== undefined)
    throw new InputError(`${name}: line 1 names two columns "${repeated}"; each needs its own name`)
  const head = { name, names, namesAt: 'line 1', width: (names ?? first).length } as const
  return filled(scanner, head, wanted(head), Math.floor(bytes.length / head.width) + 1)
}

/** Throws an {@link InputError} for a first line without commas, whose values something else seems to separate. */
function refuseOtherDelimiters(name: string, first: readonly string[]): void {
  if (first.length !== 1) return
  const delimiter = [';', '\t', '|'].find((each) => first[0].includes(each))
  if (delimiter === undefined) return
  const shown = delimiter === '\t' ? 'a tab' : `"${delimiter}"`
  throw new InputError(
    `${name}: line 1 has ${shown} between its values, expected commas; save the table with commas between values, and points in decimal numbers`
  )
}

/** The records from the second on. */
function secondRow(name: string, bytes: Uint8Array): CsvScanner {
  const scanner = new CsvScanner(name, bytes)
  scanner.next()
  return scanner
}

/**
 * The names of all columns. R writes one less where the rows begin with their names, which are words, or 1, 2 and so
 * on.
 */
function namesAbove(first: readonly string[], below: () => CsvScanner): readonly string[] {
  const scanner = below()
  for (let row = 1; row <= 3 && scanner.next(); row++) {
    if (scanner.width !== first.length + 1) return first
    const rowName = scanner.text(0)
    if (!isWord(rowName) && rowName !== String(row)) return first
    if (row === 3) return ['', ...first]
  }
  return first
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
    for (const column of wanted.numbers) numbers[place++] = numberAt(scanner, column, head)
    if (wanted.classes !== undefined) classes?.add(count, scanner.text(wanted.classes))
    count++
  } while (!classes?.isFull && scanner.next())
  return { ...head, count, place: (row) => `line ${lines[row]}`, wanted, numbers: numbers.subarray(0, place), classes }
}

function numberAt(scanner: CsvScanner, column: number, head: TableHead): number {
  const plain = scanner.plainNumber(column)
  if (!Number.isNaN(plain)) return plain
  const text = scanner.text(column)
  return checkedNumber(numberIn(text), text, head, `line ${scanner.line}`, column)
}
