import { exp, log } from '@murmuration/core'
import { mean, sampleStandardDeviation } from 'simple-statistics'

/** How many times as long one thing takes as another, over paired seeds. */
export interface RatioInterval {
  /** The geometric mean of the ratios. */
  readonly ratio: number
  /** The ends of its 95 % interval. */
  readonly low: number
  readonly high: number
}

/**
 * Student's t at 97.5 % for 1, 2, … degrees of freedom. For more than these, the last: intervals are wider than they
 * need to be.
 */
const studentsT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086
]

/**
 * The t interval of the mean of log(left / right), as ratios. `left` and `right` have the times with the same seeds in
 * the same order: at least two, positive and finite.
 */
export function ratioInterval(left: readonly number[], right: readonly number[]): RatioInterval {
  if (left.length !== right.length || left.length < 2)
    throw new RangeError(`expected two or more pairs of times, found ${left.length} and ${right.length} times`)
  const logs = left.map((each, k) => log(each / right[k]))
  const center = mean(logs)
  const t = studentsT[Math.min(logs.length - 1, studentsT.length) - 1]
  const half = (t * sampleStandardDeviation(logs)) / Math.sqrt(logs.length)
  return { ratio: exp(center), low: exp(center - half), high: exp(center + half) }
}

/** Whether the interval includes 1: then neither is known to be faster. */
export const isTie = ({ low, high }: RatioInterval): boolean => low <= 1 && high >= 1
