import { VectorMemory } from '@murmuration/vectors'

/** A vector of the pool, and who has it. */
export interface Loan {
  readonly vector: Float32Array
  /** Whether somebody has taken it, or frames are still to be written from it. */
  out: boolean
  /** Frames that are still to be written from it, or from a range of it. */
  holds: number
  /** Whether whoever took it has given it back. */
  given: boolean
}

/** What a vector costs beside its numbers, in numbers. */
const overhead = 64

/**
 * Vectors to receive into, compute in and send from, used again and again: fresh memory costs more than copying, because the
 * system has to hand over and clear each page of it. Those that were reserved are as long as the parameters and lie side by side in memory
 * that kernels compute in without copying. Beyond them, for somebody who keeps what he takes, and for vectors of other lengths, such as
 * ranges of the parameters, there is ordinary memory.
 *
 * A vector is free again when it was given back and no frame is to be written from it, or from a range of it, any more.
 */
export class VectorPool {
  readonly #elements: number
  readonly #memory: VectorMemory | undefined
  readonly #free: Float32Array[] = []
  /** Free vectors of other lengths, by length; the length that was used last comes last. */
  readonly #others = new Map<number, Float32Array[]>()
  /** What they take, in numbers. */
  #othersSize = 0
  readonly #loans = new WeakMap<Float32Array, Loan>()
  /** The vectors that lie in a buffer. */
  readonly #neighbours = new WeakMap<ArrayBufferLike, Loan[]>()
  #owned = 0
  #beyond = 0

  /**
   * @param elements - how many numbers a whole vector has
   * @param memory - where reserved vectors lie, if it can be had
   */
  constructor(elements: number, memory = memoryIfPossible()) {
    this.#elements = elements
    this.#memory = memory
  }

  /** Vectors that memory was taken for beyond the reserved ones: no more whole ones when all are given back in time. */
  get beyond(): number {
    return this.#beyond
  }

  /** Sees to it that the pool has at least so many whole vectors. */
  reserve(count: number): void {
    for (; this.#owned < count; this.#owned++) {
      this.#free.push(this.#owning(this.#memory?.take(this.#elements) ?? new Float32Array(this.#elements)))
    }
  }

  /** A vector that nobody else has, a whole one unless another length is given. Its content is arbitrary. */
  take(length = this.#elements): Float32Array {
    if (length === 0) return new Float32Array(0)
    const vector = (length === this.#elements ? this.#free.pop() : this.#takeOther(length)) ?? this.#fresh(length)
    const loan = this.#loans.get(vector)
    if (loan !== undefined) {
      loan.out = true
      loan.given = false
    }
    return vector
  }

  /** Takes a vector back. One that is not out on loan, or was given back before, is ignored. */
  give(vector: Float32Array): void {
    const loan = this.#loans.get(vector)
    if (loan === undefined || !loan.out) return
    loan.given = true
    this.#settle(loan)
  }

  /**
   * Keeps a vector of the pool as it is, also when it is given back, until it is released as often as it was held. To hold a range of one is to
   * hold it. Returns what to release; nothing for memory that is not of the pool.
   */
  hold(vector: Float32Array): Loan | undefined {
    const loan = this.#loans.get(vector) ?? this.#around(vector)
    if (loan === undefined || !loan.out) return undefined
    loan.holds++
    return loan
  }

  /** See `hold`. */
  release(loan: Loan): void {
    loan.holds--
    this.#settle(loan)
  }

  #settle(loan: Loan): void {
    if (!loan.given || loan.holds > 0) return
    const { vector } = loan
    loan.out = false
    if (vector.length !== this.#elements) return this.#keepOther(vector)
    // As many as are reserved are kept: a pool that was short for a moment does not stay large.
    if (this.#free.length < Math.max(1, this.#owned)) this.#free.push(vector)
  }

  /** The vector of which `range` is one. */
  #around({ buffer, byteOffset, byteLength }: Float32Array): Loan | undefined {
    if (byteLength === 0) return undefined
    return this.#neighbours
      .get(buffer)
      ?.find(
        ({ vector }) =>
          vector.byteOffset <= byteOffset && byteOffset + byteLength <= vector.byteOffset + vector.byteLength
      )
  }

  #takeOther(length: number): Float32Array | undefined {
    const unused = this.#others.get(length)
    const vector = unused?.pop()
    if (unused === undefined || vector === undefined) return undefined
    this.#othersSize -= length + overhead
    this.#others.delete(length)
    if (unused.length > 0) this.#others.set(length, unused)
    return vector
  }

  /** Keeps as much as whole vectors are reserved; beyond that, the lengths that were used long ago are let go. */
  #keepOther(vector: Float32Array): void {
    const { length } = vector
    const unused = this.#others.get(length) ?? []
    unused.push(vector)
    this.#others.delete(length)
    this.#others.set(length, unused)
    this.#othersSize += length + overhead
    const max = Math.max(1, this.#owned) * (this.#elements + overhead)
    for (const oldest of this.#others.keys()) {
      while (this.#othersSize > max && this.#takeOther(oldest) !== undefined);
      if (this.#othersSize <= max) return
    }
  }

  #fresh(length: number): Float32Array {
    this.#beyond++
    return this.#owning(new Float32Array(length))
  }

  #owning(vector: Float32Array): Float32Array {
    const loan: Loan = { vector, out: false, holds: 0, given: false }
    this.#loans.set(vector, loan)
    const others = this.#neighbours.get(vector.buffer)
    if (others === undefined) this.#neighbours.set(vector.buffer, [loan])
    else others.push(loan)
    return vector
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
