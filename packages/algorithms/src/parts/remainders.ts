/**
 * A vector's remainders modulo a bound B, in a few bits, and the difference of two vectors from their remainders. A
 * number x lies n = ⌊x/u + ρ⌋ steps of u = B / 2^bits from 0, with ρ in [0, 1) drawn for each number and round, the
 * same at all peers; n mod 2^bits is sent. The difference n_j − n_i of two peers is the value nearest to 0 that is
 * congruent to the difference of both remainders. Both ends find the same value but for the sign, where |x_j − x_i| <
 * θ, with B = 2θ / (1 − 2 / 2^bits).
 */
import { CounterRandom, createRandom } from '@murmuration/random'
import { type Vector, wholeField } from '@murmuration/engine'

/** Options of an algorithm that exchanges remainders. */
export interface RemainderSettings {
  readonly bits: number
  /** θ: numbers of neighbours must differ by less. */
  readonly theta: number
}

/** The largest prime below 2²⁶, so that products of two numbers below it are exact. */
const prime = 2 ** 26 - 5

/** A check: a remainder, which is negative where what is divided is. */
export const checkField = wholeField(1 - prime, () => prime - 1)

/** The random draws of one round. */
export class Remainders {
  /** u */
  readonly step: number
  readonly #levels: number
  /** ρ of each number, and a factor for the check. */
  readonly #offsets: Float64Array
  readonly #factors: Float64Array

  constructor(round: number, length: number, { bits, theta }: RemainderSettings) {
    this.#levels = 2 ** bits
    this.step = theta / (this.#levels / 2 - 1)
    const random = new CounterRandom(createRandom(round, 'remainders').integer(2 ** 32)).at(0, 0)
    this.#offsets = new Float64Array(length)
    this.#factors = new Float64Array(length)
    const offsets = this.#offsets
    const factors = this.#factors
    for (let i = 0; i < length; i++) {
      offsets[i] = random.next() / 2 ** 32
      factors[i] = random.below(prime)
    }
  }

  /** n mod 2^bits of each number, and the check: Σ factor n modulo a prime. */
  of(x: Vector): { readonly q: Vector; readonly check: number } {
    let check = 0
    const { step } = this
    const levels = this.#levels
    const offsets = this.#offsets
    const factors = this.#factors
    const q = x.arena.compute(x.length, (out, from, to) => {
      const { values } = x
      for (let i = from; i < to; i++) {
        const n = Math.floor(values[i] / step + offsets[i])
        out[i] = n - Math.floor(n / levels) * levels
        check = reduced(check + factors[i] * (Math.abs(n) < prime ? n : n % prime))
      }
    })
    q.compute(x.length) // the check needs all numbers
    return { q, check: check % prime }
  }

  /**
   * `theirs − mine` in units of u; undefined where the check shows that some number differs by θ or more. It misses
   * that once in 6 · 10⁷ messages: when the factors cancel by chance.
   */
  between(mine: Vector, theirs: Vector, check: number): Vector | undefined {
    let off = check % prime
    const levels = this.#levels
    const factors = this.#factors
    const { values: a } = mine
    const { values: b } = theirs
    const half = levels / 2
    const difference = mine.arena.compute(mine.length, (out, from, to) => {
      for (let i = from; i < to; i++) {
        const d = b[i] - a[i]
        const nearest = d > half ? d - levels : d < -half ? d + levels : d
        out[i] = nearest
        off = reduced(off - factors[i] * nearest)
      }
    })
    difference.compute(mine.length)
    return off % prime === 0 ? difference : undefined
  }
}

/**
 * A sum modulo the prime: a division takes longer than all else that is done to a number, and sums below 2⁵² have room
 * for one more product.
 */
function reduced(sum: number): number {
  return Math.abs(sum) < 2 ** 52 ? sum : sum % prime
}
