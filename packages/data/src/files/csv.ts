import { InputError, messageOf } from '@murmuration/core'
import { parse } from 'csv-parse/sync'
import type { Fit } from '../samples.js'
import type { Source } from '../source.js'

/** A CSV file. */
export interface Table {
  readonly name: string
  readonly bytes: Buffer
}

/** How CSV files are read. */
export interface CsvReading {
  /** 'numbers' for a target that is a real value; a class by default. */
  readonly targets?: 'classes' | 'numbers' | undefined
  /** What these have to fit: it numbers the classes, and says the order of columns where both have names. */
  readonly like?: Fit | undefined
}

interface Row {
  readonly name: string
  readonly line: number
  readonly cells: readonly string[]
}

/** The most bytes of a CSV file, since it is held in memory as text: 256 MiB. */
const byteLimit = 2 ** 28

/** The most classes that labels may make. */
const classLimit = 10_000

/** What the column of the target may be called. */
export const labelNames: readonly string[] = ['label', 'class', 'target']

/**
 * The samples of CSV files, one file after the other. One column is the target: the one named `label`, `class` or `target` when there
 * is a first line of names, otherwise the last. All other columns are numbers and are taken as they are. Classes are whole numbers from
 * 0, or words, which are then numbered in the order of their letters, over all files. Columns have the order of those that they have to fit, where all have names.
 *
 * Throws an {@link InputError} that names the file and the line.
 */
export function csvSource(files: readonly Table[], reading: CsvReading = {}): Source {
  const tables = files.map(readTable)
  const [{ name, names }] = tables
  const body = tables.flatMap(({ rows }) => rows)
  const width = body[0].cells.length
  if (width < 2) throw new InputError(`${name}: one column was found, at least two are expected: numbers and a class`)
  for (const table of tables.slice(1)) checkAlike(table, tables[0])
  const labelColumn = findLabel(names) ?? width - 1
  const targets =
    reading.targets === 'numbers' ? realTargets(body, labelColumn, names) : classify(body, labelColumn, reading)
  const columns = columnsOf(tables[0], labelColumn, reading.like)
  const inputs = body.map((row) => Float32Array.from(columns, (column) => numberIn(row, column, names)))
  return {
    count: body.length,
    inputShape: [width - 1],
    targetShape: [],
    ...targets,
    preprocessing: { kind: 'numbers', ...(names && { names: columns.map((column) => names[column]) }) },
    read: (index, out) => out.set(inputs[index])
  }
}

/** The rows of a file, and the names in its first line if it has some. */
interface ReadTable {
  readonly name: string
  readonly names: readonly string[] | undefined
  readonly rows: readonly Row[]
}

function readTable({ name, bytes }: Table): ReadTable {
  const all = readRows(name, bytes)
  const names = all.length > 0 && isHeader(all[0].cells) ? all[0].cells : undefined
  const rows = names === undefined ? all : all.slice(1)
  if (rows.length === 0) throw new InputError(`${name}: no line with values was found, at least one is expected`)
  return { name, names, rows }
}

function checkAlike({ name, names, rows }: ReadTable, first: ReadTable): void {
  if (String(names) !== String(first.names)) {
    const [found, expected] = [names, first.names].map((each) => each?.join(', ') ?? 'no names')
    throw new InputError(`${name}: line 1 has ${found}; ${expected} is expected, as in ${first.name}`)
  }
  const [found, expected] = [rows, first.rows].map(([row]) => row.cells.length)
  if (found === expected) return
  throw new InputError(`${name}: ${found} columns were found; ${expected} are expected, as in ${first.name}`)
}

/** The columns of the inputs: all but the target, in the order of those to be fitted. */
function columnsOf({ name, names, rows }: ReadTable, labelColumn: number, like?: Fit): readonly number[] {
  const columns = [...rows[0].cells.keys()].filter((column) => column !== labelColumn)
  const wanted = like?.preprocessing?.kind === 'numbers' ? like.preprocessing.names : undefined
  if (names === undefined || wanted === undefined) return columns
  const found = columns.map((column) => names[column])
  const missing = wanted.filter((each) => !found.includes(each))
  const other = found.filter((each) => !wanted.includes(each))
  if (missing.length === 0 && other.length === 0 && found.length === wanted.length)
    return wanted.map((each) => columns[found.indexOf(each)])
  const shown = (all: readonly string[]) => (all.length === 0 ? 'nothing' : all.slice(0, 5).join(', '))
  throw new InputError(
    `${name}: line 1 has not the columns that these have to fit, which are ${wanted.slice(0, 10).join(', ')}: missing is ${shown(missing)}, too much is ${shown(other)}`
  )
}

/** The lines of a file with what their cells hold, the names of a first line too. Throws an {@link InputError} for what is no CSV. */
export function readRows(name: string, bytes: Buffer): Row[] {
  if (bytes.length > byteLimit) {
    throw new InputError(`${name}: ${bytes.length} bytes, at most ${byteLimit} are expected; take a part of the lines`)
  }
  const rows: Row[] = []
  try {
    parse(bytes, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { lines }) => {
        rows.push({ name, line: lines, cells })
        return null
      }
    })
  } catch (error) {
    throw new InputError(`${name}: ${messageOf(error)}`)
  }
  return rows
}

/** A first line is one of names when any cell but the last, which may be a class, is no number. */
function isHeader(cells: readonly string[]): boolean {
  return cells.slice(0, -1).some(isWord) || labelNames.includes(cells[cells.length - 1].toLowerCase())
}

/** Whether a cell holds something that is no number. */
export function isWord(cell: string): boolean {
  return cell !== '' && !isNumber(cell)
}

/** Whether a cell holds a number. */
export function isNumber(cell: string): boolean {
  return cell !== '' && Number.isFinite(Number(cell))
}

function findLabel(names: readonly string[] | undefined): number | undefined {
  const column = names?.findIndex((name) => labelNames.includes(name.toLowerCase())) ?? -1
  return column < 0 ? undefined : column
}

/** The number in a cell, which is one as float32 too. Throws an {@link InputError} that says where there is none. */
export function numberIn({ name, line, cells }: Row, column: number, names?: readonly string[]): number {
  const cell = cells[column]
  const number = Number(cell)
  if (isNumber(cell) && Number.isFinite(Math.fround(number))) return number
  const called = names === undefined ? '' : ` ("${names[column]}")`
  const expected = isNumber(cell) ? 'a number between -3.4e38 and 3.4e38' : 'a number'
  throw new InputError(`${name}: line ${line}, column ${column + 1}${called} is "${cell}", ${expected} is expected`)
}

function realTargets(rows: readonly Row[], column: number, names?: readonly string[]): Targets {
  return { targets: Float32Array.from(rows, (row) => numberIn(row, column, names)) }
}

type Targets = Pick<Source, 'classes' | 'classNames' | 'targets'>

function classify(rows: readonly Row[], column: number, { like }: CsvReading): Targets {
  const classNames = like?.classNames
  const words = [...new Set(rows.map(({ cells }) => cells[column]))]
  if (classNames === undefined && words.every((word) => /^\d+$/.test(word))) return numbered(rows, column)
  const bad = rows.find(({ cells }) => cells[column] === '' || isFraction(cells[column]))
  if (bad !== undefined) {
    throw new InputError(
      `${bad.name}: line ${bad.line}, column ${column + 1} is "${bad.cells[column]}", a class is expected: a whole number or a word ` +
        '(to learn numbers, set loss: mean-squared-error in a training file)'
    )
  }
  if (words.length > classLimit)
    throw new InputError(`${rows[0].name}: ${words.length} classes, at most ${classLimit} are expected`)
  const known = classNames ?? words.sort()
  const numbers = new Map(known.map((word, index) => [word, index]))
  const numberOf = ({ name, line, cells }: Row): number => {
    const number = numbers.get(cells[column])
    if (number !== undefined) return number
    throw new InputError(
      `${name}: line ${line}, column ${column + 1} is the class "${cells[column]}", which the test set does not have; it has ${known.slice(0, 10).join(', ')}`
    )
  }
  return { classes: known.length, classNames: known, targets: Float32Array.from(rows, numberOf) }
}

function isFraction(cell: string): boolean {
  return isNumber(cell) && !Number.isInteger(Number(cell))
}

function numbered(rows: readonly Row[], column: number): Targets {
  let most = 0
  for (const { name, line, cells } of rows) {
    most = Math.max(most, Number(cells[column]))
    if (most < classLimit) continue
    throw new InputError(
      `${name}: line ${line}, column ${column + 1} is class ${most}, below ${classLimit} is expected`
    )
  }
  return { classes: most + 1, targets: Float32Array.from(rows, ({ cells }) => Number(cells[column])) }
}
