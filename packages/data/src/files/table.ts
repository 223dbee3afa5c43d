import { InputError } from '@murmuration/core'
import type { Fit } from '../samples.js'
import type { Source } from '../source.js'

/** A file of a table: CSV or Parquet. */
export interface TableFile {
  readonly name: string
  readonly bytes: Buffer
}

/** The content of a cell: text, '' for nothing; or a number, where the file has types. */
export type Cell = string | number

/** A row and its position for messages: a line of a text, or the number of the row. */
export interface Row {
  readonly name: string
  readonly unit: 'line' | 'row'
  readonly number: number
  readonly cells: readonly Cell[]
}

/** The rows of a file, at least one, and the names of the columns if it has some. */
export interface Table {
  readonly name: string
  readonly names: readonly string[] | undefined
  /** Where the names are, for messages. */
  readonly namesAt: 'line 1' | 'the schema'
  readonly rows: readonly Row[]
}

/** How tables become samples. */
export interface TableReading {
  /** 'numbers' for a target that is a real value; a class by default. */
  readonly targets?: 'classes' | 'numbers' | undefined
  /** Samples that these have to fit: they number the classes, and order the columns where both have names. */
  readonly like?: Fit | undefined
}

/** The maximum number of classes. */
const classLimit = 10_000

/** Possible names of the target's column. */
export const labelNames: readonly string[] = ['label', 'class', 'target']

/**
 * The samples of tables, one table after the other. One column is the target: the one named `label`, `class` or `target` when columns have names,
 * otherwise the last. All other columns are numbers and are taken unchanged. Classes are whole numbers from 0, or words, which are then numbered in
 * alphabetical order, over all files. Columns are in the order of `like`, where all have names.
 *
 * Throws an {@link InputError} that names the file and the line or row.
 */
export function tableSource(tables: readonly Table[], reading: TableReading = {}): Source {
  const [{ name, names }] = tables
  const body = tables.flatMap(({ rows }) => rows)
  const width = body[0].cells.length
  if (width < 2) throw new InputError(`${name}: found one column, expected at least two: numbers and a class`)
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

function checkAlike({ name, names, namesAt, rows }: Table, first: Table): void {
  if (String(names) !== String(first.names)) {
    const [found, expected] = [names, first.names].map((list) => list?.join(', ') ?? 'no names')
    throw new InputError(`${name}: ${namesAt} has ${found}, expected ${expected} as in ${first.name}`)
  }
  const [found, expected] = [rows, first.rows].map(([row]) => row.cells.length)
  if (found === expected) return
  throw new InputError(`${name}: found ${found} columns, expected ${expected} as in ${first.name}`)
}

/** The columns of the inputs: all but the target, in the order of `like`. */
function columnsOf({ name, names, namesAt, rows }: Table, labelColumn: number, like?: Fit): readonly number[] {
  const columns = [...rows[0].cells.keys()].filter((column) => column !== labelColumn)
  const wanted = like?.preprocessing?.kind === 'numbers' ? like.preprocessing.names : undefined
  if (names === undefined || wanted === undefined) return columns
  const found = columns.map((column) => names[column])
  const missing = wanted.filter((column) => !found.includes(column))
  const other = found.filter((column) => !wanted.includes(column))
  if (missing.length === 0 && other.length === 0 && found.length === wanted.length)
    return wanted.map((column) => columns[found.indexOf(column)])
  const shown = (all: readonly string[]) => (all.length === 0 ? 'nothing' : all.slice(0, 5).join(', '))
  throw new InputError(
    `${name}: ${namesAt} has other columns than expected, which are ${wanted.slice(0, 10).join(', ')}: missing: ${shown(missing)}; not expected: ${shown(other)}`
  )
}

/** Whether a cell has content that is no number. */
export function isWord(cell: Cell): boolean {
  return typeof cell === 'string' && cell !== '' && !isNumber(cell)
}

/** Whether a cell holds a finite number. */
export function isNumber(cell: Cell): boolean {
  return cell !== '' && Number.isFinite(Number(cell))
}

function findLabel(names: readonly string[] | undefined): number | undefined {
  const column = names?.findIndex((name) => labelNames.includes(name.toLowerCase())) ?? -1
  return column < 0 ? undefined : column
}

/** The number in a cell, which must be finite as float32. Throws an {@link InputError} that names the position where there is none. */
export function numberIn(row: Row, column: number, names?: readonly string[]): number {
  const cell = row.cells[column]
  const number = Number(cell)
  if (isNumber(cell) && Number.isFinite(Math.fround(number))) return number
  const called = names === undefined ? '' : ` ("${names[column]}")`
  const expected = isNumber(cell) ? 'a number between -3.4e38 and 3.4e38' : 'a number'
  throw new InputError(`${placeOf(row, column)}${called} is "${cell}", expected ${expected}`)
}

const placeOf = ({ name, unit, number }: Row, column: number) => `${name}: ${unit} ${number}, column ${column + 1}`

function realTargets(rows: readonly Row[], column: number, names?: readonly string[]): Targets {
  return { targets: Float32Array.from(rows, (row) => numberIn(row, column, names)) }
}

type Targets = Pick<Source, 'classes' | 'classNames' | 'targets'>

function classify(rows: readonly Row[], column: number, { like }: TableReading): Targets {
  const classNames = like?.classNames
  const words = [...new Set(rows.map(({ cells }) => String(cells[column])))]
  if (classNames === undefined && words.every((word) => /^\d+$/.test(word))) return numbered(rows, column)
  const invalid = rows.find(({ cells }) => cells[column] === '' || isNoClass(cells[column]))
  if (invalid !== undefined) {
    throw new InputError(
      `${placeOf(invalid, column)} is "${invalid.cells[column]}", expected a class: a whole number or a word ` +
        '(to learn numbers, set loss: mean-squared-error in a training file)'
    )
  }
  if (words.length > classLimit)
    throw new InputError(`${rows[0].name}: ${words.length} classes, expected at most ${classLimit}`)
  const knownNames = classNames ?? words.sort()
  const numbers = new Map(knownNames.map((word, index) => [word, index]))
  const numberOf = (row: Row): number => {
    const number = numbers.get(String(row.cells[column]))
    if (number !== undefined) return number
    throw new InputError(
      `${placeOf(row, column)} is the class "${row.cells[column]}", which the test set does not have; it has ${knownNames.slice(0, 10).join(', ')}`
    )
  }
  return { classes: knownNames.length, classNames: knownNames, targets: Float32Array.from(rows, numberOf) }
}

/** Whether a cell holds a number that is not whole: a fraction, or in a file with types also NaN or infinity. */
function isNoClass(cell: Cell): boolean {
  return (typeof cell === 'number' || isNumber(cell)) && !Number.isInteger(Number(cell))
}

function numbered(rows: readonly Row[], column: number): Targets {
  let max = 0
  for (const row of rows) {
    max = Math.max(max, Number(row.cells[column]))
    if (max < classLimit) continue
    throw new InputError(`${placeOf(row, column)} is class ${max}, expected one below ${classLimit}`)
  }
  return { classes: max + 1, targets: Float32Array.from(rows, ({ cells }) => Number(cells[column])) }
}
