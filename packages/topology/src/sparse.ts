/** A square matrix of float64 that keeps only its non-zero entries, row after row, columns ascending in each row. */
export interface SparseMatrix {
  readonly size: number
  /** Where each row begins in `columns` and `values`; `size` + 1 numbers. */
  readonly rowStarts: Uint32Array
  readonly columns: Uint32Array
  readonly values: Float64Array
}

/** One entry of a row. */
export interface MatrixEntry {
  readonly column: number
  readonly value: number
}

/** More entries of `W` than this would not fit in the memory of a small machine. */
export const maxEntries = 4_000_000

/** The matrix with these rows. Entries of a row may be in any order, but each column once; zeros are dropped. */
export function sparseMatrix(rows: readonly (readonly MatrixEntry[])[]): SparseMatrix {
  const nonZero = rows.map((row) => row.filter(({ value }) => value !== 0).sort((a, b) => a.column - b.column))
  const rowStarts = new Uint32Array(rows.length + 1)
  for (const [row, entries] of nonZero.entries()) rowStarts[row + 1] = rowStarts[row] + entries.length
  const columns = new Uint32Array(rowStarts[rows.length])
  const values = new Float64Array(rowStarts[rows.length])
  for (const [row, entries] of nonZero.entries()) {
    for (const [index, { column, value }] of entries.entries()) {
      columns[rowStarts[row] + index] = column
      values[rowStarts[row] + index] = value
    }
  }
  return { size: rows.length, rowStarts, columns, values }
}

/** The entries of one row, columns ascending. */
export function rowOf(matrix: SparseMatrix, row: number): MatrixEntry[] {
  const entries: MatrixEntry[] = []
  for (let index = matrix.rowStarts[row]; index < matrix.rowStarts[row + 1]; index++) {
    entries.push({ column: matrix.columns[index], value: matrix.values[index] })
  }
  return entries
}

/** The transpose. */
export function transpose(matrix: SparseMatrix): SparseMatrix {
  const { size } = matrix
  const rowStarts = new Uint32Array(size + 1)
  for (const column of matrix.columns) rowStarts[column + 1]++
  for (let row = 0; row < size; row++) rowStarts[row + 1] += rowStarts[row]
  const next = rowStarts.slice(0, size)
  const columns = new Uint32Array(matrix.columns.length)
  const values = new Float64Array(matrix.values.length)
  for (let row = 0; row < size; row++) {
    for (let index = matrix.rowStarts[row]; index < matrix.rowStarts[row + 1]; index++) {
      const target = next[matrix.columns[index]]++
      columns[target] = row
      values[target] = matrix.values[index]
    }
  }
  return { size, rowStarts, columns, values }
}

/**
 * `W x` in float64, one number per peer: plain averaging of one number by one round. An oracle for peers that mix
 * vectors. Writes into `into` (not `x` itself), and returns it.
 */
export function applyMixing(
  matrix: SparseMatrix,
  x: Float64Array,
  into: Float64Array = new Float64Array(matrix.size)
): Float64Array {
  const { size, rowStarts, columns, values } = matrix
  for (let row = 0; row < size; row++) {
    let sum = 0
    for (let index = rowStarts[row]; index < rowStarts[row + 1]; index++) sum += values[index] * x[columns[index]]
    into[row] = sum
  }
  return into
}
