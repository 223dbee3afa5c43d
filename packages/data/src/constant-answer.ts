import type { Evaluation } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { Samples } from './samples.js'

/**
 * What the best answer that is the same for all samples reaches: the accuracy of the most frequent class, or, where
 * numbers are learned, the mean square error of the mean of each. A model that is no better has learned nothing.
 */
export function constantAnswerOn({
  targets,
  targetShape,
  classes
}: Pick<Samples, 'targets' | 'targetShape' | 'classes'>): Partial<Pick<Evaluation, 'accuracy' | 'loss'>> {
  return classes === undefined
    ? { loss: variance(targets, sizeOf(targetShape)) }
    : { accuracy: mostFrequent(targets, classes) / targets.length }
}

function mostFrequent(targets: Float32Array, classes: number): number {
  const counts = new Uint32Array(classes)
  for (const target of targets) counts[target]++
  return counts.reduce((most, count) => Math.max(most, count), 0)
}

/** The mean over the columns of rows of `width` numbers of their variances. */
function variance(rows: Float32Array, width: number): number {
  const count = rows.length / width
  const means = new Float64Array(width)
  for (let k = 0; k < rows.length; k++) means[k % width] += rows[k] / count
  let sum = 0
  for (let k = 0; k < rows.length; k++) sum += (rows[k] - means[k % width]) ** 2
  return sum / rows.length
}
