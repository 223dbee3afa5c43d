import { VectorMemory } from '@murmuration/vectors'

/** Who has a vector of the pool. */
interface Loan {
  /** Frames that are still to be written from it. */
  holds: number
  /** Whether whoever took it has given it back. */
  given: boolean
}

/**
 * Vectors to receive into, compute in and send from, used again and again: fresh memory costs more than copying, because the
 * system has to hand over and clear each page of it. Those that were reserved lie side by side in memory that kernels compute in
 * without copying. Beyond them, for somebody who keeps what he takes, there is ordinary memory.
 *
 * A vector is free again when it was given back and no frame is to be written from it any more.
 */
export class VectorPool {
  readonly #elements: number
  readonly #memory: VectorMemory | undefined
  readonly #free: Float32Array[] = []
  readonly #loans = new WeakMap<Float32Array, Loan>()
  #owned = 0
  #beyond = 0

  /**
   * @param elements - how many numbers every vector has
   * @param memory - where reserved vectors lie, if it can be had
   */
  constructor(elements: number, memory = memoryIfPossible()) {
    this.#elements = elements
    this.#memory = memory
  }

  /** Vectors that were taken beyond the reserved ones: none when all are given back in time. */
  get beyond(): number {
    return this.#beyond
  }

  /** Sees to it that the pool has at least so many vectors. */
  reserve(count: number): void {
    for (; this.#owned < count; this.#owned++) {
      this.#free.push(this.#memory?.take(this.#elements) ?? new Float32Array(this.#elements))
    }
  }

  /** A vector that nobody else has. Its content is arbitrary. */
  take(): Float32Array {
    const vector = this.#free.pop() ?? this.#fresh()
    this.#loans.set(vector, { holds: 0, given: false })
    return vector
  }

  /** Takes a vector back. One that is not out on loan, or was given back before, is ignored. */
  give(vector: Float32Array): void {
    const loan = this.#loans.get(vector)
    if (loan === undefined) return
    loan.given = true
    this.#settle(vector, loan)
  }

  /** Keeps a vector of the pool as it is, also when it is given back, until it is released as often as it was held. */
  hold(vector: Float32Array): void {
    const loan = this.#loans.get(vector)
    if (loan !== undefined) loan.holds++
  }

  /** See `hold`. */
  release(vector: Float32Array): void {
    const loan = this.#loans.get(vector)
    if (loan === undefined) return
    loan.holds--
    this.#settle(vector, loan)
  }

  #settle(vector: Float32Array, { holds, given }: Loan): void {
    if (!given || holds > 0) return
    this.#loans.delete(vector)
    // As many as are reserved are kept: a pool that was short for a moment does not stay large.
    if (this.#free.length < Math.max(1, this.#owned)) this.#free.push(vector)
  }

  #fresh(): Float32Array {
    this.#beyond++
    return new Float32Array(this.#elements)
  }
}

/** Where addresses are limited, as by `ulimit -v`, everything works in ordinary memory, only slower. */
function memoryIfPossible(): VectorMemory | undefined {
  try {
    return new VectorMemory()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
