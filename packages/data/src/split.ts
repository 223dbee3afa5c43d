import { InputError, shuffleInPlace } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { upTo } from './indices.js'
import type { SplitOptions } from './samples.js'
import type { Source } from './source.js'

/**
 * The numbers of the training and of the test samples, at least one of each: test samples are random, or the last of a
 * sequence. Throws an {@link InputError} for a single sample.
 */
export function split(
  { count, isSequence = false }: Pick<Source, 'count' | 'isSequence'>,
  { testFraction, seed }: SplitOptions
): readonly [Uint32Array, Uint32Array] {
  if (count < 2)
    throw new InputError(
      `the data has ${count === 0 ? 'no samples' : 'one sample'}, expected at least 2: one to train and one to test`
    )
  const testCount = testCountOf(count, testFraction)
  const all = upTo(count)
  if (isSequence) return [all.subarray(0, count - testCount), all.subarray(count - testCount)]
  const order = shuffleInPlace(all, createRandom(seed, 'split'))
  return [order.subarray(testCount), order.subarray(0, testCount)]
}

/** How many of `count` samples, at least 2, are test samples. */
export function testCountOf(count: number, testFraction: number): number {
  return Math.min(count - 1, Math.max(1, Math.round(count * testFraction)))
}
