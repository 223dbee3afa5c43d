import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'
import { isNumber, isTruth } from './cells.js'
import type { Cell } from './distinct-cells.js'
import { isMissing } from './missing.js'
import type { Table, TableReading } from './table.js'

/** The maximum number of classes. */
const classLimit = 10_000

/** A whole number without leading zeros, also as a column of floating-point numbers has it: 2, 2.0. */
const wholeNumber = /^-?(0|[1-9]\d*)(\.0*)?$/

/** A class as it is written, as it is named, and where it occurs first. */
interface FoundClass {
  readonly cell: Cell
  readonly written: string
  readonly word: string
  readonly place: string
}

/** The classes of a table, in the order of `Distinct.cells`. */
interface TableClasses {
  readonly table: Table
  readonly found: readonly FoundClass[]
}

type Targets = Pick<Source, 'classes' | 'classNames' | 'targets'>

/**
 * The classes of tables, and that of each row. They are numbers where all are whole, from 0, and no two are written
 * differently; else words, numbered in alphabetical order.
 *
 * Throws an {@link InputError} that names the file and the line or row of what is no class.
 */
export function classify(tables: readonly Table[], { like }: TableReading): Targets {
  const all = tables.map(classesIn)
  const found = all.flatMap((each) => each.found)
  const known = like?.classNames
  if (known === undefined && areNumbers(found)) return numbered(all, found)
  const numbers = known === undefined ? new Map<string, number>() : numbersOf(known)
  const numberOf = ({ written, word }: FoundClass) => numbers.get(written) ?? numbers.get(word)
  const invalid = found.find((each) => numberOf(each) === undefined && isNoClass(each))
  if (invalid !== undefined) throw noClass(invalid)
  const words = new Set(found.map(({ word }) => word))
  if (words.size > classLimit) throw tooManyClasses(tables, words.size)
  const names = known ?? [...words].sort()
  if (known === undefined) for (const [index, name] of names.entries()) numbers.set(name, index)
  const unknown = found.find((each) => numberOf(each) === undefined)
  if (unknown !== undefined)
    throw new InputError(
      `${unknown.place} is the class "${unknown.written}", which the test set does not have; it has ${names.slice(0, 10).join(', ')}`
    )
  return { classes: names.length, classNames: names, targets: targetsOf(all, (each) => numberOf(each) ?? 0) }
}

function classesIn(table: Table): TableClasses {
  const { cells = [], firstRows = [] } = table.classes ?? {}
  const column = (table.wanted.classes ?? 0) + 1
  const written = cells.map((cell) => String(cell).normalize())
  const words = sameInAllFormats(written)
  const found = cells.map((cell, index) => {
    const place = `${table.name}: ${table.place(firstRows[index])}, column ${column}`
    return { cell, written: written[index], word: words[index], place }
  })
  return { table, found }
}

/**
 * The classes as CSV and Parquet have them alike: true and false in small letters, whole numbers without a fraction. As
 * they are written where two would become one.
 */
function sameInAllFormats(written: readonly string[]): readonly string[] {
  if (written.every(isTruth)) return written.map((word) => word.toLowerCase())
  if (!written.every((word) => wholeNumber.test(word) && Number.isSafeInteger(Number(word)))) return written
  const words = written.map((word) => String(Number(word)))
  return new Set(words).size === new Set(written).size ? words : written
}

/** Whether all classes are whole numbers from 0, and none is written in two ways, such as 1 and 01. */
function areNumbers(found: readonly FoundClass[]): boolean {
  const words = new Set(found.map(({ word }) => word))
  return [...words].every((word) => /^\d+$/.test(word)) && new Set([...words].map(Number)).size === words.size
}

/** The numbers of known names, as they are written and as {@link classesIn} names them. */
function numbersOf(names: readonly string[]): Map<string, number> {
  const written = names.map((name) => name.normalize())
  const words = sameInAllFormats(written)
  return new Map([...words, ...written].map((name, index) => [name, index % names.length]))
}

/** Whether a value is missing, or is a number that is not whole. */
function isNoClass({ cell, word }: FoundClass): boolean {
  if (isMissing(word)) return true
  return (typeof cell === 'number' || isNumber(cell)) && !Number.isInteger(Number(cell))
}

function noClass({ place, written }: FoundClass): InputError {
  if (written !== '' && isMissing(written))
    return new InputError(
      `${place} is "${written}", expected a class, not a missing value; omit such rows, or give the class another name`
    )
  return new InputError(
    `${place} is "${written}", expected a class: a whole number or a word ` +
      '(to learn numbers, set loss: mean-squared-error in a training file)'
  )
}

function numbered(all: readonly TableClasses[], found: readonly FoundClass[]): Targets {
  const tables = all.map(({ table }) => table)
  const tooLarge = found.find(({ word }) => Number(word) >= classLimit)
  if (tooLarge !== undefined)
    throw new InputError(`${tooLarge.place} is class ${Number(tooLarge.word)}, expected one below ${classLimit}`)
  if (tables.some(({ classes }) => classes?.isFull)) throw tooManyClasses(tables, found.length)
  const classes = found.reduce((max, { word }) => Math.max(max, Number(word) + 1), 0)
  return { classes, targets: targetsOf(all, ({ word }) => Number(word)) }
}

function tooManyClasses(tables: readonly Table[], count: number): InputError {
  const prefix = tables.some(({ classes }) => classes?.isFull) ? 'at least ' : ''
  return new InputError(`${tables[0].name}: ${prefix}${count} classes, expected at most ${classLimit}`)
}

/** The number of each row's class. */
function targetsOf(all: readonly TableClasses[], numberOf: (found: FoundClass) => number): Float32Array {
  const targets = new Float32Array(all.reduce((sum, { table }) => sum + table.count, 0))
  let start = 0
  for (const { table, found } of all) {
    const numbers = Float32Array.from(found, numberOf)
    for (let row = 0; row < table.count; row++) targets[start + row] = numbers[table.classes?.numbers[row] ?? 0]
    start += table.count
  }
  return targets
}
