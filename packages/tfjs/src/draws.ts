import type { Random } from '@murmuration/core'

/**
 * Runs `compute`, which must be synchronous, with `Math.random` drawing from `random`, and then restores it.
 *
 * Everything that TensorFlow.js draws without a seed begins with a number of `Math.random`: dropout, also of recurrent
 * cells, noise, alpha dropout, and whatever a user's own layers and losses draw. Most layers take no seed that could be
 * set instead.
 */
export function drawingFrom<Result>(random: Random, compute: () => Result): Result {
  const { random: original } = Math
  Math.random = () => random.uniform()
  try {
    return compute()
  } finally {
    Math.random = original
  }
}
