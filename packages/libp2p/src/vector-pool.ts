import { KernelMemory } from '@murmuration/vectors'
import { copyBytes } from './copy-bytes.js'

/** A vector of the pool, and what keeps it in use. */
export interface Loan {
  readonly vector: Float32Array
  /** Whether it is acquired or pinned. */
  inUse: boolean
  /** How often it, or a range of it, is pinned. */
  pins: number
  /** Whether it is released; it is reused once nothing pins it. */
  released: boolean
}

/** The cost of a vector beside its numbers, in numbers. */
const overhead = 64

/**
 * Vectors to receive into, compute in and send from, used again and again: fresh memory costs more than copying, because the system clears
 * each page of it. Reserved vectors are as long as the parameters and lie side by side in memory that kernels compute in without copying.
 * Vectors beyond them, and vectors of other lengths, such as ranges of the parameters, take ordinary memory.
 *
 * A vector is reused when it is released and nothing pins it: a frame that is not acknowledged pins the vector that it is written from.
 */
export class VectorPool {
  readonly #elements: number
  readonly #memory: KernelMemory | undefined
  readonly #free: Float32Array[] = []
  /** Free vectors of other lengths, by length; the length that was used last comes last. */
  readonly #others = new Map<number, Float32Array[]>()
  /** What they take, in numbers. */
  #othersSize = 0
  readonly #loans = new WeakMap<Float32Array, Loan>()
  /** The vectors that lie in a buffer. */
  readonly #byBuffer = new WeakMap<ArrayBufferLike, Loan[]>()
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

  /** Vectors allocated beyond the reserved ones: no more whole ones while all are released in time. */
  get beyond(): number {
    return this.#beyond
  }

  /** Makes the pool have at least so many whole vectors. */
  reserve(count: number): void {
    for (; this.#owned < count; this.#owned++) {
      this.#free.push(this.#owning(this.#memory?.vector(this.#elements) ?? new Float32Array(this.#elements)))
    }
  }

  /** A vector that nobody else has, a whole one unless another length is given. Its content is arbitrary. */
  acquire(length = this.#elements): Float32Array {
    if (length === 0) return new Float32Array(0)
    const vector = (length === this.#elements ? this.#free.pop() : this.#takeOther(length)) ?? this.#fresh(length)
    const loan = this.#loans.get(vector)
    if (loan !== undefined) {
      loan.inUse = true
      loan.released = false
    }
    return vector
  }

  /** Takes a vector back. One that is not in use is ignored. */
  release(vector: Float32Array): void {
    const loan = this.#loans.get(vector)
    if (loan === undefined || !loan.inUse) return
    loan.released = true
    this.#reuse(loan)
  }

  /**
   * Keeps a vector from being reused, also when it is released, until it is unpinned as often as it was pinned. To pin a range of one is to
   * pin it. Returns what to unpin; nothing for memory that is not of the pool.
   */
  pin(vector: Float32Array): Loan | undefined {
    const loan = this.#loans.get(vector) ?? this.#around(vector)
    if (loan === undefined || !loan.inUse) return undefined
    loan.pins++
    return loan
  }

  /** See `pin`. */
  unpin(loan: Loan): void {
    loan.pins--
    this.#reuse(loan)
  }

  #reuse(loan: Loan): void {
    if (!loan.released || loan.pins > 0) return
    const { vector } = loan
    loan.inUse = false
    if (vector.length !== this.#elements) return this.#keepOther(vector)
    // As many as are reserved are kept: a pool that was short for a moment does not stay large.
    if (this.#free.length < Math.max(1, this.#owned)) this.#free.push(vector)
  }

  /** The vector of which `range` is one. */
  #around({ buffer, byteOffset, byteLength }: Float32Array): Loan | undefined {
    if (byteLength === 0) return undefined
    return this.#byBuffer
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
    const loan: Loan = { vector, inUse: false, pins: 0, released: false }
    this.#loans.set(vector, loan)
    const others = this.#byBuffer.get(vector.buffer)
    if (others === undefined) this.#byBuffer.set(vector.buffer, [loan])
    else others.push(loan)
    return vector
  }
}

/** Where addresses are limited, as by `ulimit -v`, everything works in ordinary memory, only slower. */
function memoryIfPossible(): KernelMemory | undefined {
  try {
    return KernelMemory.shared(copyBytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
