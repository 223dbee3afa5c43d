/**
 * Columns of tables on one scale: `(x − mean) / deviation`, in float64, with the same numbers at all peers and for
 * later inputs.
 */
import { InputError, type Scale } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { Source } from './source.js'

/** The mean and the standard deviation of each column over these rows; 1 in place of a deviation of 0. */
export function standardScale(source: Source, rows: Uint32Array): Scale {
  const first = new Float32Array(sizeOf(source.inputShape))
  source.read(rows[0], first)
  // From the first row on, so that the deviation of equal values is exactly 0.
  const means = meansOf(source, rows, (value, column) => value - first[column]).map((mean, at) => first[at] + mean)
  const variances = meansOf(source, rows, (value, column) => (value - means[column]) ** 2)
  return { means, deviations: variances.map((variance) => Math.sqrt(variance) || 1) }
}

/**
 * The same samples on a scale, which their preprocessing then names. Throws an {@link InputError} for others than rows
 * of a table.
 */
export function scaled(source: Source, scale: Scale): Source {
  const { preprocessing, unscaled: { target } = {}, ...rest } = source
  if (preprocessing?.kind !== 'numbers')
    throw new InputError('data.scale: found a scale, but the data are no table, expected none; omit scale')
  return {
    ...rest,
    ...(target === undefined ? {} : { unscaled: { target } }),
    preprocessing: { ...preprocessing, scale },
    read: (index, out) => {
      source.read(index, out)
      applyScale(scale, out)
    }
  }
}

/** Scales one row in place. */
export function applyScale({ means, deviations }: Scale, row: Float32Array): void {
  for (let column = 0; column < row.length; column++) row[column] = (row[column] - means[column]) / deviations[column]
}

/** The mean over rows of `of` of each column's values. */
function meansOf({ read, inputShape }: Source, rows: Uint32Array, of: (value: number, column: number) => number) {
  const row = new Float32Array(sizeOf(inputShape))
  const sums = new Float64Array(row.length)
  for (const index of rows) {
    read(index, row)
    for (let column = 0; column < row.length; column++) sums[column] += of(row[column], column)
  }
  return Array.from(sums, (sum) => sum / rows.length)
}
