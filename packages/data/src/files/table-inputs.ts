import { InputError } from '@murmuration/core'
import type { Table, TableHead, WantedColumns } from './table.js'
import { indexColumns, labelNames } from './table-columns.js'

/** The required content of a row. */
export interface ExpectedColumns {
  readonly length: number
  /** The names of the training data's columns, in their order. */
  readonly names: readonly string[] | undefined
}

/**
 * The columns of a model's input. Where columns have names and those of the training data are known, they are matched
 * by name, in any order, and others are ignored. Otherwise a row must have as many numbers as the model takes, besides
 * columns with the name of a target and those that number the rows.
 *
 * Throws an {@link InputError} that names the file for a table without them.
 */
export function inputColumns({ length, names }: ExpectedColumns): (head: TableHead) => WantedColumns {
  const known = names?.map((each) => each.normalize())
  return ({ name, names: found, namesAt, width }) => {
    const index = indexColumns(found)
    if (found !== undefined && known !== undefined) return { numbers: columnsNamed(known, name, found, namesAt) }
    const all = Array.from({ length: width }, (_, column) => column)
    const isLabel = (column: number) => labelNames.includes(found?.[column].toLowerCase() ?? '')
    const numbers = all.filter((column) => !isLabel(column) && !index.has(column))
    if (numbers.length === length) return { numbers }
    throw new InputError(
      `${name}: ${namesAt} has ${numbers.length} columns; the model takes ${length} numbers, without a target`
    )
  }
}

function columnsNamed(
  names: readonly string[],
  file: string,
  found: readonly string[],
  namesAt: TableHead['namesAt']
): readonly number[] {
  const columns = new Map(found.map((name, column) => [name, column]))
  const missing = names.filter((name) => !columns.has(name))
  if (missing.length === 0) return names.map((name) => columns.get(name) ?? 0)
  throw new InputError(
    `${file}: ${namesAt} has no column ${missing.slice(0, 5).join(', ')}; the model takes ${names.slice(0, 10).join(', ')}`
  )
}

/** The rows of a table with the columns of {@link inputColumns}. */
export function tableInputs(table: Table): readonly { readonly from: string; readonly values: Float32Array }[] {
  const { length } = table.wanted.numbers
  return Array.from({ length: table.count }, (_, row) => ({
    from: `${table.name}:${table.place(row).replace(/^\D*/, '')}`,
    values: table.numbers.subarray(row * length, (row + 1) * length)
  }))
}
