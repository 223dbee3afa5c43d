import { InputError } from '@murmuration/core'
import type { Fit } from '../samples.js'
import { isNumber } from './cells.js'
import type { Cell, Distinct } from './distinct-cells.js'

/** A file of a table: CSV or Parquet. */
export interface TableFile {
  readonly name: string
  readonly bytes: Uint8Array
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
  /** The name of the target's column, or `first` or `last`. */
  readonly target?: string | undefined
  /** The names of columns that are not read. */
  readonly ignore?: readonly string[] | undefined
  /** Samples that these have to fit: they number the classes, and order the columns where both have names. */
  readonly like?: Fit | undefined
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
