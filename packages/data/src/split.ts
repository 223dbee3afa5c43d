import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { SplitOptions } from './samples.js'
import type { Source } from './source.js'

/**
 * The numbers of the training and of the test samples, at least one of each: test samples are random, or the last of a sequence. Throws an {@link
 * InputError} for a single sample.
 */
export function split(
  { count, isSequence = false }: Pick<Source, 'count' | 'isSequence'>,
  { testFraction, seed }: SplitOptions
): readonly [Uint32Array, Uint32Array] {
  if (count < 2)
    throw new InputError(
      `the data has ${count === 0 ? 'no samples' : 'one sample'}, expected at least 2: one to train and one to test`
    )
  const all = Array.from({ length: count }, (_, index) => index)
  const order = isSequence ? all.reverse() : createRandom(seed, 'split').shuffle(all)
  const testCount = testCountOf(count, testFraction)
  const [train, test] = [Uint32Array.from(order.slice(testCount)), Uint32Array.from(order.slice(0, testCount))]
  return isSequence ? [train.reverse(), test.reverse()] : [train, test]
}

/** How many of `count` samples, at least 2, are test samples. */
export function testCountOf(count: number, testFraction: number): number {
  return Math.min(count - 1, Math.max(1, Math.round(count * testFraction)))
}
