import { pow } from '@murmuration/core'

/** Zipf's law: the sums of k^−s over k = 1, 2, … up to each of the items. */
export function cumulated(items: number, zipf: number): Float64Array {
  let sum = 0
  return Float64Array.from({ length: items }, (_, index) => (sum += pow(index + 1, -zipf)))
}

/** The first index whose sum is above `value`; the last one if none is. */
export function firstAbove(sums: Float64Array, value: number): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sums[middle] > value) high = middle
    else low = middle + 1
  }
  return low
}
