import { log } from '@murmuration/core'

/**
 * The number of micro-batches that makes a step shortest, where stages are equally fast: `√(T (n − 1) / (n c))`, the
 * minimum over m of `(T / (n m) + c) (m + n − 1)`, with T the time of a batch on one peer, n the stages, and c the time
 * that a stage needs for a micro-batch however small. At least 1; no whole number.
 */
export function idealMicroBatches(time: number, stages: number, overhead: number): number {
  return Math.max(1, Math.sqrt((time * (stages - 1)) / (stages * overhead)))
}

/**
 * The size of a micro-batch with which a step is shortest, in samples: a divisor of the batch. Begins with the divisor
 * that is nearest to the ideal number of micro-batches, and goes to the next one as long as that is faster.
 *
 * @param ideal - see {@link idealMicroBatches}
 * @param timeOf - of a step with so many micro-batches
 */
export function bestSplitSize(batchSize: number, ideal: number, timeOf: (microBatches: number) => number): number {
  const counts = divisorsOf(batchSize)
  const distance = (count: number) => Math.abs(log(count / ideal))
  let index = 0
  for (const [other, count] of counts.entries()) if (distance(count) < distance(counts[index])) index = other
  const timeAt = (at: number) => (at in counts ? timeOf(counts[at]) : Number.POSITIVE_INFINITY)
  for (const step of [1, -1]) while (timeAt(index + step) < timeAt(index)) index += step
  return batchSize / counts[index]
}

/**
 * Without measured times: four micro-batches a stage, with which the idle time hardly matters (Huang et al., NeurIPS
 * 2019, section 2.3), or the most that a batch has below that. In samples.
 */
export function usualSplitSize(batchSize: number, stages: number): number {
  const count = divisorsOf(batchSize).findLast((each) => each <= 4 * stages)
  return batchSize / (count ?? 1)
}

/** Ascending. */
export function divisorsOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1).filter((divisor) => count % divisor === 0)
}
