/** A list that can be reordered in its own memory. */
interface Reorderable<T> {
  readonly length: number
  [index: number]: T
}

/** Reorders `items` evenly in their own memory, and returns them (Fisher and Yates). */
export function shuffleInPlace<T, Items extends Reorderable<T>>(items: Items, random: Pick<Random, 'integer'>): Items {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.integer(last + 1)
    const item = items[last]
    items[last] = items[other]
    items[other] = item
  }
  return items
}

/**
 * Seeded random numbers. The same seed gives the same draws on every machine.
 * `@murmuration/random` implements it.
 */
export interface Random {
  /** An even draw from [0, 1), in steps of 2⁻⁵³. */
  uniform(): number
  /** An even draw from the integers 0 … `limit` − 1. `limit` is an integer from 1 to 2³². */
  integer(limit: number): number
  /** A draw from the normal distribution with mean 0 and variance 1. */
  normal(): number
  /** `items` in an evenly drawn order, as a new array. */
  shuffle<T>(items: readonly T[]): T[]
  /**
   * An independent stream for one purpose. It depends only on this stream's seed and the purpose, not on earlier draws,
   * so that an added draw in one place changes nothing elsewhere.
   */
  stream(purpose: string): Random
}
