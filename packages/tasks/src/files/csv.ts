import { InputError, messageOf } from '@murmuration/core'
import { parse } from 'csv-parse/sync'
import type { Source } from '../source.js'

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** The most bytes of a CSV file, since it is held in memory as text: 256 MiB. */
const byteLimit = 2 ** 28

/** The most classes that labels may make. */
const classLimit = 10_000

const labelNames = ['label', 'class', 'target']

/**
 * The samples of a CSV file. One column is the class: the one named `label`, `class` or `target` when there is a first line
 * of names, otherwise the last. All other columns are numbers and are taken as they are. Classes are whole numbers from 0, or
 * words, which are then numbered in the order of their letters.
 *
 * Throws an {@link InputError} that names the file and the line.
 */
export function csvSource(name: string, bytes: Buffer): Source {
  const rows = readRows(name, bytes)
  const names = rows.length > 0 && isHeader(rows[0].cells) ? rows[0].cells : undefined
  const body = names === undefined ? rows : rows.slice(1)
  if (body.length === 0) throw new InputError(`${name}: no line with values was found, at least one is expected`)
  const width = body[0].cells.length
  if (width < 2) throw new InputError(`${name}: one column was found, at least two are expected: numbers and a class`)
  const labelColumn = findLabel(names) ?? width - 1
  const { classes, targets } = classify(name, body, labelColumn)
  const inputs = body.map((row) => readNumbers(name, row, labelColumn, names))
  return {
    count: body.length,
    inputShape: [width - 1],
    targetShape: [],
    targets,
    classes,
    read: (index, out) => out.set(inputs[index])
  }
}

function readRows(name: string, bytes: Buffer): Row[] {
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
        rows.push({ line: lines, cells })
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
  return (
    cells.slice(0, -1).some((cell) => !isNumber(cell)) || labelNames.includes(cells[cells.length - 1].toLowerCase())
  )
}

function isNumber(cell: string): boolean {
  return cell !== '' && Number.isFinite(Number(cell))
}

function findLabel(names: readonly string[] | undefined): number | undefined {
  const column = names?.findIndex((name) => labelNames.includes(name.toLowerCase())) ?? -1
  return column < 0 ? undefined : column
}

function readNumbers(name: string, { line, cells }: Row, skip: number, names?: readonly string[]): Float32Array {
  const numbers: number[] = []
  for (const [column, cell] of cells.entries()) {
    if (column === skip) continue
    if (!isNumber(cell)) {
      const called = names === undefined ? '' : ` ("${names[column]}")`
      throw new InputError(`${name}: line ${line}, column ${column + 1}${called} is "${cell}", a number is expected`)
    }
    numbers.push(Number(cell))
  }
  return Float32Array.from(numbers)
}

function classify(name: string, rows: readonly Row[], column: number): Pick<Source, 'classes' | 'targets'> {
  const words = [...new Set(rows.map(({ cells }) => cells[column]))]
  if (words.every((word) => /^\d+$/.test(word))) return numbered(name, rows, column)
  const bad = rows.find(({ cells }) => cells[column] === '' || isFraction(cells[column]))
  if (bad !== undefined) {
    throw new InputError(
      `${name}: line ${bad.line}, column ${column + 1} is "${bad.cells[column]}", a class is expected: a whole number or a word`
    )
  }
  if (words.length > classLimit)
    throw new InputError(`${name}: ${words.length} classes, at most ${classLimit} are expected`)
  const numbers = new Map(words.sort().map((word, index) => [word, index]))
  return { classes: words.length, targets: Float32Array.from(rows, ({ cells }) => numbers.get(cells[column]) ?? 0) }
}

function isFraction(cell: string): boolean {
  return isNumber(cell) && !Number.isInteger(Number(cell))
}

function numbered(name: string, rows: readonly Row[], column: number): Pick<Source, 'classes' | 'targets'> {
  let most = 0
  for (const { line, cells } of rows) {
    most = Math.max(most, Number(cells[column]))
    if (most < classLimit) continue
    throw new InputError(
      `${name}: line ${line}, column ${column + 1} is class ${most}, below ${classLimit} is expected`
    )
  }
  return { classes: most + 1, targets: Float32Array.from(rows, ({ cells }) => Number(cells[column])) }
}
