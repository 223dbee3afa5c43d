import { InputError } from '@murmuration/core'
import type { Fit } from '../samples.js'
import type { Source } from '../source.js'
import type { Cell, Distinct } from './distinct-cells.js'

/** A file of a table: CSV or Parquet. */
export interface TableFile {
  readonly name: string
  readonly bytes: Buffer
}

/** The columns of a table, before its rows are read. */
export interface TableHead {
  readonly name: string
  /** The names of the columns if it has some. */
  readonly names: readonly string[] | undefined
  /** Where the names are, for messages. */
  readonly namesAt: 'line 1' | 'the schema'
  /** The number of columns. */
  readonly width: number
}

/** The columns that are read. All others may have any content. */
export interface WantedColumns {
  /** Columns of numbers, in the wanted order. */
  readonly numbers: readonly number[]
  /** The column of the classes; absent if there is none. */
  readonly classes?: number
}

/** The wanted columns of a file, with at least one row. */
export interface Table extends TableHead {
  readonly wanted: WantedColumns
  readonly count: number
  /** Row after row, as many as `wanted.numbers` says; finite. */
  readonly numbers: Float32Array
  readonly classes: Distinct | undefined
  /** Where a row is, for messages: `line 3` of a text, or `row 2`. */
  place(row: number): string
}

/** The maximum bytes of a file, since it is held in memory: 256 MiB. */
export const maxTableBytes = 2 ** 28

/** The maximum cells of a file, 2^25. */
export const maxCells = 2 ** 25

/** The maximum columns of a file. */
export const maxColumns = 2 ** 20

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
 * The columns of samples. One is the target: the one named `label`, `class` or `target` when columns have names,
 * otherwise the last. All others are
 * numbers and are taken unchanged, in the order of `like`, where all have names. A target that is a real value comes
 * after the other numbers.
 *
 * Throws an {@link InputError} for a table without them.
 */
export function sampleColumns({ targets, like }: TableReading = {}): (head: TableHead) => WantedColumns {
  return (head) => {
    if (head.width < 2)
      throw new InputError(`${head.name}: found one column, expected at least two: numbers and a class`)
    const target = findLabel(head.names) ?? head.width - 1
    const numbers = columnsOf(head, target, like)
    return targets === 'numbers' ? { numbers: [...numbers, target] } : { numbers, classes: target }
  }
}

/**
 * The samples of tables with the columns of {@link sampleColumns}, one table after the other. Classes are whole numbers
 * from 0, or words, which are
 * then numbered in alphabetical order, over all files.
 *
 * Throws an {@link InputError} that names the file and the line or row.
 */
export function tableSource(tables: readonly Table[], reading: TableReading = {}): Source {
  const [{ names, width, wanted }] = tables
  for (const table of tables.slice(1)) checkAlike(table, tables[0])
  const length = width - 1
  const columns = wanted.numbers.slice(0, length)
  const stride = wanted.numbers.length
  const numbers = concatenated(tables)
  const count = tables.reduce((sum, table) => sum + table.count, 0)
  const targets = stride > length ? { targets: everyLast(numbers, stride) } : classify(tables, reading)
  return {
    count,
    inputShape: [length],
    targetShape: [],
    ...targets,
    preprocessing: { kind: 'numbers', ...(names && { names: columns.map((column) => names[column]) }) },
    read: (index, out) => {
      for (let column = 0; column < length; column++) out[column] = numbers[index * stride + column]
    }
  }
}

function concatenated(tables: readonly Table[]): Float32Array {
  const [first, ...others] = tables
  if (others.length === 0) return first.numbers
  const all = new Float32Array(tables.reduce((sum, { numbers }) => sum + numbers.length, 0))
  let length = 0
  for (const { numbers } of tables) {
    all.set(numbers, length)
    length += numbers.length
  }
  return all
}

/** The last of each `stride` numbers. */
function everyLast(numbers: Float32Array, stride: number): Float32Array {
  return new Float32Array(numbers.length / stride).map((_, row) => numbers[(row + 1) * stride - 1])
}

function checkAlike({ name, names, namesAt, width }: TableHead, first: TableHead): void {
  if (String(names) !== String(first.names)) {
    const [found, expected] = [names, first.names].map((list) => list?.join(', ') ?? 'no names')
    throw new InputError(`${name}: ${namesAt} has ${found}, expected ${expected} as in ${first.name}`)
  }
  if (width === first.width) return
  throw new InputError(`${name}: found ${width} columns, expected ${first.width} as in ${first.name}`)
}

/** The columns of the inputs: all but the target, in the order of `like`. */
function columnsOf({ name, names, namesAt, width }: TableHead, labelColumn: number, like?: Fit): readonly number[] {
  const columns = Array.from({ length: width }, (_, column) => column).filter((column) => column !== labelColumn)
  const wanted = like?.preprocessing?.kind === 'numbers' ? like.preprocessing.names : undefined
  if (names === undefined || wanted === undefined) return columns
  const found = new Map(columns.map((column) => [names[column], column]))
  const expected = new Set(wanted)
  const missing = wanted.filter((name) => !found.has(name))
  const other = [...found.keys()].filter((name) => !expected.has(name))
  if (missing.length === 0 && other.length === 0 && columns.length === wanted.length)
    return wanted.map((name) => found.get(name) ?? 0)
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

/**
 * The number of a cell, which must be finite as float32. Throws an {@link InputError} that names the position where
 * there is none.
 *
 * @param value - NaN for a cell that holds no number
 * @param row - where the row is, such as `line 3`
 */
export function checkedNumber(
  value: number,
  cell: Cell,
  { name, names }: TableHead,
  row: string,
  column: number
): number {
  if (Number.isFinite(Math.fround(value))) return value
  const called = names === undefined ? '' : ` ("${names[column]}")`
  const expected = isNumber(cell) ? 'a number between -3.4e38 and 3.4e38' : 'a number'
  throw new InputError(`${name}: ${row}, column ${column + 1}${called} is "${cell}", expected ${expected}`)
}

/** The error for a file with more cells than are read. */
export function tooManyCells(name: string, remedy: string): InputError {
  return new InputError(`${name}: more than ${maxCells} cells, expected at most so many; ${remedy}`)
}

/** The first name that an earlier column has too. */
export function firstRepeated(names: readonly string[]): string | undefined {
  const earlier = new Set<string>()
  return names.find((name) => earlier.size === earlier.add(name).size)
}

type Targets = Pick<Source, 'classes' | 'classNames' | 'targets'>

/** A class as it is written, and where it occurs first. */
interface FoundClass {
  readonly cell: Cell
  readonly word: string
  readonly place: string
}

function classify(tables: readonly Table[], { like }: TableReading): Targets {
  const classNames = like?.classNames
  const found = tables.flatMap(classesIn)
  if (classNames === undefined && found.every(({ word }) => /^\d+$/.test(word))) return numbered(tables, found)
  const invalid = found.find(({ cell }) => cell === '' || isNoClass(cell))
  if (invalid !== undefined) {
    throw new InputError(
      `${invalid.place} is "${invalid.word}", expected a class: a whole number or a word ` +
        '(to learn numbers, set loss: mean-squared-error in a training file)'
    )
  }
  const words = new Set(found.map(({ word }) => word))
  if (words.size > classLimit) throw tooManyClasses(tables, words.size)
  const knownNames = classNames ?? [...words].sort()
  const numbers = new Map(knownNames.map((word, index) => [word, index]))
  const unknown = found.find(({ word }) => !numbers.has(word))
  if (unknown !== undefined)
    throw new InputError(
      `${unknown.place} is the class "${unknown.word}", which the test set does not have; it has ${knownNames.slice(0, 10).join(', ')}`
    )
  const targets = targetsOf(tables, (word) => numbers.get(word) ?? 0)
  return { classes: knownNames.length, classNames: knownNames, targets }
}

function classesIn(table: Table): readonly FoundClass[] {
  const { cells = [], firstRows = [] } = table.classes ?? {}
  const column = (table.wanted.classes ?? 0) + 1
  return cells.map((cell, index) => {
    const place = `${table.name}: ${table.place(firstRows[index])}, column ${column}`
    return { cell, word: String(cell), place }
  })
}

/** Whether a cell holds a number that is not whole: a fraction, or in a file with types also NaN or infinity. */
function isNoClass(cell: Cell): boolean {
  return (typeof cell === 'number' || isNumber(cell)) && !Number.isInteger(Number(cell))
}

function numbered(tables: readonly Table[], found: readonly FoundClass[]): Targets {
  const tooLarge = found.find(({ word }) => Number(word) >= classLimit)
  if (tooLarge !== undefined)
    throw new InputError(`${tooLarge.place} is class ${Number(tooLarge.word)}, expected one below ${classLimit}`)
  if (tables.some(({ classes }) => classes?.isFull)) throw tooManyClasses(tables, found.length)
  const classes = found.reduce((max, { word }) => Math.max(max, Number(word) + 1), 0)
  return { classes, targets: targetsOf(tables, Number) }
}

function tooManyClasses(tables: readonly Table[], count: number): InputError {
  const prefix = tables.some(({ classes }) => classes?.isFull) ? 'at least ' : ''
  return new InputError(`${tables[0].name}: ${prefix}${count} classes, expected at most ${classLimit}`)
}

/** The number of each row's class. */
function targetsOf(tables: readonly Table[], numberOf: (word: string) => number): Float32Array {
  const targets = new Float32Array(tables.reduce((sum, { count }) => sum + count, 0))
  let start = 0
  for (const { count, classes } of tables) {
    const numbers = Float32Array.from(classes?.cells ?? [], (cell) => numberOf(String(cell)))
    for (let row = 0; row < count; row++) targets[start + row] = numbers[classes?.numbers[row] ?? 0]
    start += count
  }
  return targets
}
