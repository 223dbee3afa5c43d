/** The odd number next to 2³² divided by the golden ratio: a Weyl sequence's step. */
const step = 0x9e3779b9

/**
 * Random numbers as a function of where they are used, such as (sample, round), where a stream for each would cost more
 * than its draws: `at` restarts anywhere in some nanoseconds. After SplitMix (Steele, Lea and Flood, OOPSLA 2014), with
 * 32 bits and the finaliser of MurmurHash3. Some places have overlapping sequences: the quality suffices for negative
 * samples, but not for statistics over billions of draws.
 */
export class CounterRandom {
  readonly #key: number
  #state = 0

  /** @param key - 32 bits, such as `createRandom(seed, purpose).integer(2 ** 32)` */
  constructor(key: number) {
    this.#key = key
  }

  /** Goes to the first number of a place, two integers of which the lower 32 bits count. */
  at(major: number, minor: number): this {
    this.#state = mixed(mixed(this.#key ^ minor) + major)
    return this
  }

  /** The next integer, 0 … 2³² − 1, all equally probable. */
  next(): number {
    this.#state = (this.#state + step) | 0
    return mixed(this.#state)
  }

  /** The next integer below `limit`, which is at most 2³². */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit)
  }
}

/** Each bit of the result depends on all bits of the number. */
function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
