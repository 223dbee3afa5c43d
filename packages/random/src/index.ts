/**
 * Seeded random streams, over the generator xoroshiro128+ of pure-rand.
 *
 * @packageDocumentation
 */
import { log, type Random, shuffleInPlace } from '@murmuration/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

export { CounterRandom } from './counter-random.js'
export { direction, normals } from './draws.js'

/**
 * The stream of random numbers for `seed` (an integer) and a path of purposes, such as a peer's name and 'batches'.
 * Streams of two paths are unrelated. Throws a RangeError for a seed that is no safe integer.
 */
export function createRandom(seed: number, ...purposes: readonly string[]): Random {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`found the seed ${seed}, expected an integer`)
  const root = new SeededRandom(String(seed))
  return purposes.reduce<Random>((random, purpose) => random.stream(purpose), root)
}

class SeededRandom implements Random {
  /** The seed, or the purpose of a stream of `#parent`. */
  readonly #purpose: string
  readonly #parent: SeededRandom | undefined
  /** Created at the first draw: many streams only have children. */
  #made: RandomGenerator | undefined
  #spareNormal: number | undefined

  constructor(purpose: string, parent?: SeededRandom) {
    this.#purpose = purpose
    this.#parent = parent
  }

  get #generator(): RandomGenerator {
    return (this.#made ??= generatorOf(JSON.stringify(this.#path)))
  }

  /** The seed and the purposes. */
  get #path(): readonly string[] {
    return this.#parent === undefined ? [this.#purpose] : [...this.#parent.#path, this.#purpose]
  }

  uniform(): number {
    return uniformFloat64(this.#generator)
  }

  integer(limit: number): number {
    if (!Number.isInteger(limit) || limit < 1 || limit > 2 ** 32) {
      throw new RangeError(`found the limit ${limit}, expected an integer from 1 to 2^32`)
    }
    return uniformInt(this.#generator, 0, limit - 1)
  }

  /** Marsaglia's polar method (SIAM Review 6(3), 1964), which draws two numbers at a time. */
  normal(): number {
    if (this.#spareNormal !== undefined) {
      const spare = this.#spareNormal
      this.#spareNormal = undefined
      return spare
    }
    for (;;) {
      const u = 2 * this.uniform() - 1
      const v = 2 * this.uniform() - 1
      const square = u * u + v * v
      if (square > 0 && square < 1) {
        const factor = Math.sqrt((-2 * log(square)) / square)
        this.#spareNormal = v * factor
        return u * factor
      }
    }
  }

  shuffle<T>(items: readonly T[]): T[] {
    return shuffleInPlace([...items], this)
  }

  stream(purpose: string): Random {
    return new SeededRandom(purpose, this)
  }
}

const encoder = new TextEncoder()

/** The generator whose 128 bits of state are the first of the path's SHA-256, so that similar paths are unrelated. */
function generatorOf(path: string): RandomGenerator {
  const digest = sha256(encoder.encode(path))
  const view = new DataView(digest.buffer, digest.byteOffset, 16)
  return xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => view.getInt32(offset, true)))
}
