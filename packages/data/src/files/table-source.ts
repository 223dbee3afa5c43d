import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'
import type { Table, TableHead, TableReading } from './table.js'
import { classify } from './table-classes.js'
import { indexColumns } from './table-columns.js'
import { largeColumns } from './table-ranges.js'

/** The fewest rows of which a column that counts them is no chance. */
const minCounted = 10

/** The fewest classes of which missing ones are no chance. */
const minGaps = 10

/**
 * The samples of tables with the columns of `sampleColumns`, one table after the other. Classes are whole numbers
 * from 0, or words, which are
 * then numbered in alphabetical order, over all files.
 *
 * Throws an {@link InputError} that names the file and the line or row.
 */
export function tableSource(tables: readonly Table[], reading: TableReading = {}): Source {
  const [{ names, wanted }] = tables
  for (const table of tables.slice(1)) checkAlike(table, tables[0])
  const stride = wanted.numbers.length
  const length = wanted.classes === undefined ? stride - 1 : stride
  const columns = wanted.numbers.slice(0, length)
  const numbers = concatenated(tables)
  const count = tables.reduce((sum, table) => sum + table.count, 0)
  const targets = stride > length ? { targets: everyLast(numbers, stride) } : classify(tables, reading)
  if (reading.like === undefined) refuseOneValue(tables, targets.targets)
  const remark = remarkOn(tables[0], length) ?? (reading.target === undefined ? gapsIn(tables[0], targets) : undefined)
  const unscaled = largeColumns(tables[0], numbers, length)
  return {
    count,
    inputShape: [length],
    targetShape: [],
    ...targets,
    preprocessing: { kind: 'numbers', ...(names && { names: columns.map((column) => names[column]) }) },
    ...(remark !== undefined && { remark }),
    ...(unscaled !== undefined && { unscaled }),
    read: (index, out) => {
      for (let column = 0; column < length; column++) out[column] = numbers[index * stride + column]
    }
  }
}

/** Throws an {@link InputError} where all rows have one target: then every model is right. */
function refuseOneValue(tables: readonly Table[], targets: Float32Array): void {
  const { name, names, wanted, numbers, classes } = tables[0]
  if (targets.length < 2 || targets.some((target) => target !== targets[0])) return
  const column = wanted.classes ?? wanted.numbers[wanted.numbers.length - 1]
  const called = names === undefined ? '' : ` ("${names[column]}")`
  const value = classes?.cells[0] ?? numbers[wanted.numbers.length - 1]
  throw new InputError(
    `${name}: column ${column + 1}${called}, the target, is "${value}" in all ${targets.length} rows, expected at least two different values; if the target is another column, name it in the training file: data: { path: …, target: NAME }, or target: first`
  )
}

/** What users should know about the columns that were read: those that number the rows say nothing about the target. */
function remarkOn({ names, count, numbers, wanted }: Table, length: number): string | undefined {
  const called = (column: number) => (names?.[column] ? `"${names[column]}"` : String(column + 1))
  const omitted = [...indexColumns(names)].find((column) => !wanted.numbers.includes(column))
  if (omitted !== undefined) return `without column ${called(omitted)}, which numbers the rows`
  if (count < minCounted) return undefined
  const stride = wanted.numbers.length
  const counts = (place: number) => {
    const first = numbers[place]
    if (first !== 0 && first !== 1) return false
    for (let row = 1; row < count; row++) if (numbers[row * stride + place] !== first + row) return false
    return true
  }
  const counter = wanted.numbers.slice(0, length).find((_, place) => counts(place))
  if (counter === undefined) return undefined
  return `column ${called(counter)} only counts the rows, and is an input; omit it with ignore unless it means something`
}

/**
 * A table without names may have its class elsewhere than in the last column: there are then few of its many classes.
 */
function gapsIn(
  { names, width }: Table,
  { targets, classes = 0, classNames }: ReturnType<typeof classify>
): string | undefined {
  if (names !== undefined || classNames !== undefined) return undefined
  const occurs = new Uint8Array(classes)
  for (const target of targets) occurs[target] = 1
  const found = occurs.reduce((sum, each) => sum + each, 0)
  if (2 * found > classes || classes < minGaps) return undefined
  return `column ${width}, the last, is the class: ${found} of the numbers 0 to ${classes - 1} occur; if another one is, name it with target`
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
