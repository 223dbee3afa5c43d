import { invariant } from '@murmuration/core'

/**
 * Sorts element by element: then the k-th numbers of the columns increase from the first column to the last. It uses
 * compare-exchanges of whole columns, n (n − 1) / 2 for n columns: for few columns that is many times faster than a
 * sort per element.
 *
 * @param length - how many numbers of each column
 */
export function sortElements(columns: readonly Float32Array[], length: number): void {
  invariant(
    columns.every((column) => column.length >= length),
    () => `found columns of fewer than ${length} numbers`
  )
  for (let last = 1; last < columns.length; last++) {
    for (let index = last; index > 0; index--) exchange(columns[index - 1], columns[index], length)
  }
}

function exchange(low: Float32Array, high: Float32Array, length: number): void {
  for (let k = 0; k < length; k++) {
    const a = low[k]
    const b = high[k]
    if (b < a) {
      low[k] = b
      high[k] = a
    }
  }
}
