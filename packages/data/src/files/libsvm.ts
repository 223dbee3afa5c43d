/**
 * LIBSVM's text format (Chang and Lin, ACM TIST 2(3), 2011; SVM-light's without ranks): `label index:value …` per line,
 * indices ascending from 1, what is left out being 0.
 */
import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'
import { latin1In } from './bytes.js'
import { isNumber } from './cells.js'
import { DistinctCells } from './distinct-cells.js'
import { WordScanner } from './libsvm-scanner.js'
import { NumberList } from './number-list.js'
import { plainNumber } from './plain-number.js'
import { maxCells, maxColumns, type Table, type TableFile, type TableReading, tooManyCells } from './table.js'
import { tableSource } from './table-source.js'
import { contentOf } from './utf8.js'

const colon = 0x3a
const comma = 0x2c

/** Rows as the format has them. */
export interface SparseTable {
  readonly name: string
  /** The highest index. */
  readonly width: number
  readonly lines: Uint32Array
  readonly labels: Float64Array
  /** Where the pairs of each row end. */
  readonly ends: Uint32Array
  /** The pairs: index − 1, and value. */
  readonly columns: Uint32Array
  readonly values: Float32Array
}

/**
 * The rows of a file. Throws an {@link InputError} that names file, line and column of what is wrong.
 *
 * @param targets - 'classes' for labels that must be whole numbers
 */
export function readLibsvm(file: TableFile, targets: 'classes' | 'numbers' = 'classes'): SparseTable {
  const { name } = file
  const scanner = new WordScanner(name, contentOf(file))
  const [lines, ends, columns] = [Uint32Array, Uint32Array, Uint32Array].map((type) => new NumberList(type))
  const labels = new NumberList(Float64Array)
  const values = new NumberList(Float32Array)
  let width = 0
  while (scanner.nextLine()) {
    labels.push(labelIn(scanner, targets))
    lines.push(scanner.line)
    let last = 0
    while (scanner.nextWord()) {
      const separator = separatorIn(scanner)
      last = indexIn(scanner, separator, last)
      columns.push(last - 1)
      values.push(valueIn(scanner, separator))
      if (columns.length > maxCells) throw tooManyCells(name, 'use a part of the lines')
    }
    ends.push(columns.length)
    width = Math.max(width, last)
  }
  if (lines.length === 0) throw new InputError(`${name}: found no line with a label, expected at least one`)
  if (width === 0)
    throw new InputError(`${name}: no line has a value, expected index:value after the labels, such as 1 2:0.5`)
  const of = <List>({ values: list }: { readonly values: List }) => list
  return {
    name,
    width,
    lines: of(lines),
    labels: of(labels),
    ends: of(ends),
    columns: of(columns),
    values: of(values)
  }
}

/**
 * The samples of such files, one file after the other, as those of a CSV file with all values would be. They have as
 * many inputs as the highest index says, or as `reading.like` if it has more.
 *
 * Throws an {@link InputError} for more rows times indices than a table may have, and where all labels are equal.
 */
export function libsvmSource(files: readonly SparseTable[], reading: TableReading): Source {
  const { like, target } = reading
  const [first] = files
  const named = target !== undefined && target !== 'first' ? 'target' : reading.ignore && 'ignore'
  if (named !== undefined)
    throw new InputError(
      `${first.name}: found ${named}, expected none: columns have no names in LIBSVM's format, ` +
        `and the label is the first; omit ${named}`
    )
  const isOne = files.every(({ labels }) => labels.every((label) => label === first.labels[0]))
  const count = files.reduce((sum, { lines }) => sum + lines.length, 0)
  if (isOne && count > 1 && like === undefined)
    throw new InputError(
      `${first.name}: the label is ${first.labels[0]} in all ${count} lines, expected at least two different ones`
    )
  const widths = [...files.map(({ width }) => width), like?.inputShape.length === 1 ? like.inputShape[0] : 0]
  const tables = files.map((file) => fullTable(file, Math.max(...widths), reading.targets ?? 'classes'))
  // A column that counts the rows cannot be ignored: it has no name.
  const { remark: _, ...source } = tableSource(tables, { ...reading, target: 'first' })
  return { ...source, isSparse: true }
}

/**
 * The rows of a file for a model that takes `width` numbers. Throws an {@link InputError} for a line with a higher
 * index.
 */
export function libsvmInputs(file: TableFile, width: number): Table {
  const sparse = readLibsvm(file, 'numbers')
  const { name, lines, ends, columns } = sparse
  const pair = columns.findIndex((column) => column >= width)
  if (pair < 0) return fullTable(sparse, width, 'none')
  const line = lines[ends.findIndex((end) => end > pair)]
  throw new InputError(`${name}: line ${line} has the index ${columns[pair] + 1}; the model takes ${width} numbers`)
}

/** With all zeros. For messages, a value's column is its index, and the label's is the first. */
function fullTable(sparse: SparseTable, width: number, targets: 'classes' | 'numbers' | 'none'): Table {
  const { name, lines, labels, ends, columns, values } = sparse
  const count = lines.length
  if (count * width > maxCells)
    throw new InputError(
      `${name}: found ${count} lines of ${width} values with their zeros, ${count * width} in all, ` +
        `expected at most ${maxCells}; use a part of the lines, or of the indices`
    )
  const inputs = Array.from({ length: width }, (_, column) => column)
  const wanted = targets === 'numbers' ? { numbers: [...inputs, 0] } : { numbers: inputs }
  const stride = wanted.numbers.length
  const numbers = new Float32Array(count * stride)
  const classes = new DistinctCells(targets === 'classes' ? count : 0, Number)
  for (let row = 0, pair = 0; row < count; row++) {
    for (; pair < ends[row]; pair++) numbers[row * stride + columns[pair]] = values[pair]
    if (targets === 'numbers') numbers[row * stride + width] = labels[row]
    if (targets === 'classes') classes.add(row, labels[row])
  }
  const head = { name, names: undefined, namesAt: 'line 1', width } as const
  return {
    ...head,
    count,
    numbers,
    place: (row) => `line ${lines[row]}`,
    wanted: targets === 'classes' ? { ...wanted, classes: 0 } : wanted,
    classes: targets === 'classes' ? classes : undefined
  }
}

function labelIn(scanner: WordScanner, targets: 'classes' | 'numbers'): number {
  const { bytes, start, end } = scanner
  const label = numberOf(scanner, start)
  if (!Number.isFinite(Math.fround(label))) throw noLabel(scanner, bytes.subarray(start, end))
  if (targets === 'numbers' || Number.isInteger(label)) return label
  throw scanner.wrong('a class: a whole number (to learn numbers, set loss: mean-squared-error in a training file)')
}

function noLabel(scanner: WordScanner, word: Uint8Array): InputError {
  if (word.includes(colon)) return scanner.wrong('a label before the first index:value; begin each line with its label')
  if (word.includes(comma))
    return scanner.wrong('one label, a number; several labels for a sample cannot be learned: choose one')
  return scanner.wrong('a label: a finite number, such as -1, 1 or 2.5; number the classes, or omit the line')
}

/** Where the colon of a pair is. */
function separatorIn(scanner: WordScanner): number {
  const { bytes, start, end } = scanner
  let at = start
  while (at < end && bytes[at] !== colon) at++
  if (at < end) return at
  throw scanner.wrong('index:value, such as 2:0.5, without blanks around the colon')
}

/** The index of a pair, which must be above `last`. */
function indexIn(scanner: WordScanner, separator: number, last: number): number {
  const { bytes, start } = scanner
  let index = 0
  for (let at = start; at < separator; at++) {
    const digit = bytes[at] - 0x30
    if (!(digit >= 0 && digit <= 9)) throw noIndex(scanner, scanner.text(start, separator))
    index = Math.min(index * 10 + digit, maxColumns + 1)
  }
  if (separator === start) throw noIndex(scanner, '')
  if (index === 0) throw scanner.wrong('indices from 1 on; add 1 to every index of the file')
  if (index > maxColumns)
    throw scanner.wrong(`an index of at most ${maxColumns}, the most columns of a table; use a part of the indices`)
  if (index === last) throw scanner.wrong(`each index once in a line, and ${index} occurred before; keep one of them`)
  if (index < last) throw scanner.wrong(`an index above ${last}, the last one; sort the pairs of the line by index`)
  return index
}

function noIndex(scanner: WordScanner, index: string): InputError {
  if (index === 'qid')
    return scanner.wrong('no qid: it marks the queries of a ranking, which no task learns; remove qid from all lines')
  return scanner.wrong(`index:value with an index from 1 to ${maxColumns}`)
}

function valueIn(scanner: WordScanner, separator: number): number {
  const value = Math.fround(numberOf(scanner, separator + 1))
  if (Number.isFinite(value)) return value
  const range = 'a number between -3.4e38 and 3.4e38 after the colon'
  throw scanner.wrong(`${range}; omit a line whose value is missing, as what is left out counts as 0`)
}

/** The number from `start` to the end of the word; NaN where there is none. */
function numberOf({ bytes, end }: WordScanner, start: number): number {
  const plain = plainNumber(bytes, start, end)
  if (!Number.isNaN(plain)) return plain
  const text = latin1In(bytes, start, end)
  return isNumber(text) ? Number(text) : Number.NaN
}
