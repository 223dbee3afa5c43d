/** The median, the range, the mean and the deviation over the seeds. */
import { mean, median, sampleStandardDeviation } from 'simple-statistics'
import type { Spread } from '../shared/page-data.js'

/** Five significant digits: more than a chart or a table shows, and a small file. */
export const rounded = (value: number): number => Number(value.toPrecision(5))

const finite = (value: number): number | null => (Number.isFinite(value) ? rounded(value) : null)

/**
 * Infinity (and NaN) stands for a run that never reached the target, and counts as slower than all others. So the
 * median is “never” as soon as half of the runs are, and no method looks good by its lucky seeds.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.map((value) => (Number.isNaN(value) ? Infinity : value)).sort((a, b) => a - b)
  if (sorted.length === 0) return { middle: null, low: null, high: null }
  const range = { middle: finite(median(sorted)), low: finite(sorted[0]), high: finite(sorted[sorted.length - 1]) }
  if (sorted.length === 1 || !sorted.every(Number.isFinite)) return range
  return { ...range, mean: rounded(mean(sorted)), deviation: rounded(sampleStandardDeviation(sorted)) }
}
