import { InputError } from '@murmuration/core'
import { labelNames, numberIn, type Table } from './table.js'

/** The required content of a row. */
export interface ExpectedColumns {
  readonly length: number
  /** The names of the training data's columns, in their order. */
  readonly names: readonly string[] | undefined
}

/**
 * The rows of a table without a target. Where its columns have names and those of the training data are known, columns are matched by name, in any
 * order, and others are ignored. Otherwise a row must have as many numbers as the model takes, besides a column with the name of a target. Throws an
 * {@link InputError} that names file and line.
 */
export function tableInputs(
  table: Table,
  expected: ExpectedColumns
): readonly { readonly from: string; readonly values: Float32Array }[] {
  const columns = columnsOf(table, expected)
  return table.rows.map((row) => ({
    from: `${table.name}:${row.number}`,
    values: Float32Array.from(columns, (column) => numberIn(row, column, table.names))
  }))
}

function columnsOf(
  { name, names: found, namesAt, rows }: Table,
  { length, names }: ExpectedColumns
): readonly number[] {
  if (found !== undefined && names !== undefined) {
    const missing = names.filter((each) => !found.includes(each))
    if (missing.length === 0) return names.map((each) => found.indexOf(each))
    throw new InputError(
      `${name}: ${namesAt} has no column ${missing.slice(0, 5).join(', ')}; the model takes ${names.slice(0, 10).join(', ')}`
    )
  }
  const all = [...rows[0].cells.keys()]
  const columns = all.filter((column) => !labelNames.includes(found?.[column].toLowerCase() ?? ''))
  if (columns.length === length) return columns
  throw new InputError(
    `${name}: ${namesAt} has ${columns.length} columns; the model takes ${length} numbers, without a target`
  )
}
