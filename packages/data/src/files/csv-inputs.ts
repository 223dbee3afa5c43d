import { InputError } from '@murmuration/core'
import { isWord, labelNames, numberIn, readRows } from './csv.js'

/** What a row has to hold. */
export interface ExpectedColumns {
  readonly length: number
  /** What the columns were called that the model learned from, in their order. */
  readonly names: readonly string[] | undefined
}

/**
 * The rows of a CSV file without a target. Where its first line has names, and those that the model learned from are known, columns are found by them, in any order, and others
 * are left aside. Otherwise the numbers of a row are as many as the model takes, but for a column that is called as targets are. Throws an {@link InputError} that names file and line.
 */
export function csvInputs(
  path: string,
  bytes: Buffer,
  expected: ExpectedColumns
): readonly { readonly from: string; readonly values: Float32Array }[] {
  const all = readRows(path, bytes)
  if (all.length === 0) throw new InputError(`${path}: no line with values was found`)
  const names = all[0].cells.some(isWord) ? all[0].cells : undefined
  const columns = columnsOf(path, names ?? all[0].cells.map(() => undefined), expected)
  const rows = names === undefined ? all : all.slice(1)
  return rows.map((row) => ({
    from: `${path}:${row.line}`,
    values: Float32Array.from(columns, (column) => numberIn(row, column, names))
  }))
}

function columnsOf(
  path: string,
  found: readonly (string | undefined)[],
  { length, names }: ExpectedColumns
): readonly number[] {
  const isNamed = found.some((name) => name !== undefined)
  if (isNamed && names !== undefined) {
    const missing = names.filter((name) => !found.includes(name))
    if (missing.length === 0) return names.map((name) => found.indexOf(name))
    throw new InputError(
      `${path}: line 1 has no column ${missing.slice(0, 5).join(', ')}; the model takes ${names.slice(0, 10).join(', ')}`
    )
  }
  const columns = [...found.keys()].filter((column) => !labelNames.includes(found[column]?.toLowerCase() ?? ''))
  if (columns.length === length) return columns
  throw new InputError(
    `${path}: line 1 has ${columns.length} columns; the model takes ${length} numbers, without a target`
  )
}
