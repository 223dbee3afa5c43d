/** Which columns of a table are read. */
import { InputError } from '@murmuration/core'
import type { Fit } from '../samples.js'
import type { TableHead, TableReading, WantedColumns } from './table.js'

/** Possible names of the target's column. */
export const labelNames: readonly string[] = ['label', 'class', 'target']

/** The names of a column that numbers the rows: of pandas in Parquet, in CSV that it read again, and of R. */
const indexName = /^(__index_level_\d+__|Unnamed: 0(\.\d+)*|\.\.\.1|rownames)$/

/** The columns that only number the rows: with such a name, and the first ones without a name. */
export function indexColumns(names: readonly string[] | undefined): ReadonlySet<number> {
  const firstNamed = names?.findIndex((name) => name !== '') ?? 0
  const isIndex = (name: string, column: number) => column < firstNamed || indexName.test(name)
  return new Set(names?.flatMap((name, column) => (isIndex(name, column) ? [column] : [])))
}

/**
 * The columns of samples. One is the target: `target` if given; the one named `label`, `class` or `target` when columns
 * have names; otherwise the last. All others but those of `ignore`, and those that number the rows, are numbers. They
 * are taken unchanged, in the order of `like`, where all have names. A target that is a real value comes after the
 * other numbers.
 *
 * Throws an {@link InputError} for a table without them.
 */
export function sampleColumns(reading: TableReading = {}): (head: TableHead) => WantedColumns {
  return (head) => {
    const wanted = namesOf(reading.like)
    const columns = columnsBut(leftOut(head, reading, wanted), head.width)
    if (columns.length < 2)
      throw new InputError(`${head.name}: found one column, expected at least two: numbers and a class`)
    const target = targetIn(head, columns, reading.target)
    const inputs = columns.filter((column) => column !== target)
    const numbers = wanted === undefined ? inputs : inOrder(head, inputs, wanted)
    return reading.targets === 'numbers' ? { numbers: [...numbers, target] } : { numbers, classes: target }
  }
}

/** The columns that are not read. A model that learned from a column that numbers the rows reads it. */
function leftOut(
  { name, names, namesAt }: TableHead,
  { ignore = [], target }: TableReading,
  wanted: readonly string[] | undefined
): ReadonlySet<number> {
  const ignored = new Set(ignore.map((each) => each.normalize()))
  const isRead = (column: number) =>
    names !== undefined && (wanted?.includes(names[column]) || names[column] === target)
  const unknown = [...ignored].find((each) => !names?.includes(each))
  if (unknown !== undefined && wanted === undefined) throw noColumn(unknown, 'ignore', { name, names, namesAt })
  const index = [...indexColumns(names)].filter((column) => !isRead(column))
  return new Set([...index, ...(names ?? []).flatMap((each, column) => (ignored.has(each) ? [column] : []))])
}

function columnsBut(omitted: ReadonlySet<number>, width: number): readonly number[] {
  return Array.from({ length: width }, (_, column) => column).filter((column) => !omitted.has(column))
}

function targetIn(head: TableHead, columns: readonly number[], target: string | undefined): number {
  const { names } = head
  const last = columns[columns.length - 1]
  if (target === 'first') return columns[0]
  if (target === 'last') return last
  if (target === undefined)
    return columns.find((column) => labelNames.includes(names?.[column].toLowerCase() ?? '')) ?? last
  const column = columns.find((each) => names?.[each] === target.normalize())
  if (column === undefined) throw noColumn(target, 'target', head)
  return column
}

function noColumn(
  column: string,
  field: string,
  { name, names, namesAt }: Pick<TableHead, 'name' | 'names' | 'namesAt'>
): InputError {
  const found = names === undefined ? 'names no columns' : `has the columns ${names.slice(0, 10).join(', ')}`
  const words = field === 'target' ? ', or first or last' : ''
  return new InputError(
    `${name}: ${field} is "${column}", but ${namesAt} ${found}; expected the name of one of them${words}`
  )
}

/** The names of the columns that samples have to fit. */
function namesOf(like: Fit | undefined): readonly string[] | undefined {
  return like?.preprocessing?.kind === 'numbers' ? like.preprocessing.names?.map((name) => name.normalize()) : undefined
}

/** The columns of the inputs in the order of their wanted names. */
function inOrder(
  { name, names, namesAt }: TableHead,
  columns: readonly number[],
  wanted: readonly string[]
): readonly number[] {
  if (names === undefined) return columns
  const found = new Map(columns.map((column) => [names[column], column]))
  const expected = new Set(wanted)
  const missing = wanted.filter((each) => !found.has(each))
  const other = [...found.keys()].filter((each) => !expected.has(each))
  if (missing.length === 0 && other.length === 0 && columns.length === wanted.length)
    return wanted.map((each) => found.get(each) ?? 0)
  const shown = (all: readonly string[]) => (all.length === 0 ? 'nothing' : all.slice(0, 5).join(', '))
  throw new InputError(
    `${name}: ${namesAt} has other columns than expected, which are ${wanted.slice(0, 10).join(', ')}: missing: ${shown(missing)}; not expected: ${shown(other)}`
  )
}
