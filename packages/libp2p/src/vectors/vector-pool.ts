import { KernelMemory } from '@murmuration/vectors'
import { copyBytes } from '#platform/vectors/copy-bytes.js'

/** A vector of the pool, and its state of use. */
export interface Loan {
  readonly vector: Float32Array
  /** Whether it is acquired or pinned. */
  inUse: boolean
  /** How often it, or a range of it, is pinned. */
  pins: number
  /** Whether it is released; it is reused once nothing pins it. */
  released: boolean
}

/** The memory overhead of a vector, in numbers. */
const overhead = 64

/**
 * A pool of vectors for receiving, computing and sending. Fresh memory costs more than copying, because the system
 * clears each page of it. Reserved vectors are as long as the parameters, and consecutive in memory that kernels
 * compute in without copying. Other vectors, and vectors of other lengths, such as ranges of the parameters, use
 * ordinary memory.
 *
 * A vector is reused when it is released and not pinned. An unacknowledged frame pins its vector.
 */
export class VectorPool {
  readonly #elements: number
  readonly #memory: KernelMemory | undefined
  readonly #free: Float32Array[] = []
  /** Free vectors of other lengths, by length; the most recently used length is last. */
  readonly #others = new Map<number, Float32Array[]>()
  /** Their size with overhead, in numbers. */
  #othersSize = 0
  readonly #loans = new WeakMap<Float32Array, Loan>()
  /** The vectors in each buffer. */
  readonly #byBuffer = new WeakMap<ArrayBufferLike, Loan[]>()
  #owned = 0
  #beyond = 0

  /**
   * @param elements - how many numbers a whole vector has
   * @param memory - for reserved vectors; ordinary memory when `undefined`
   */
  constructor(elements: number, memory = memoryIfPossible()) {
    this.#elements = elements
    this.#memory = memory
  }

  /**
   * The number of vectors allocated beyond the reserved ones. No whole ones are added while all are released in time.
   */
  get beyond(): number {
    return this.#beyond
  }

  /** Makes the pool have at least `count` whole vectors. */
  reserve(count: number): void {
    for (; this.#owned < count; this.#owned++) {
      this.#free.push(this.#owning(this.#memory?.vector(this.#elements) ?? new Float32Array(this.#elements)))
    }
  }

  /** An unused vector, a whole one unless another length is given. Its content is arbitrary. */
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
   * Prevents reuse of a vector, also after its release, until it is unpinned as often as it was pinned. Pinning a range
   * of a vector pins the vector. Returns the loan to unpin; `undefined` for memory outside the pool.
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
    // At most the reserved number is kept, so that the pool shrinks again after a peak.
    if (this.#free.length < Math.max(1, this.#owned)) this.#free.push(vector)
  }

  /** The vector that contains a range. */
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

  /** Keeps at most the memory of the reserved vectors; beyond that, the least recently used lengths are dropped. */
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

/** With a limited address space (`ulimit -v`), everything works in ordinary memory, only slower. */
function memoryIfPossible(): KernelMemory | undefined {
  try {
    return KernelMemory.shared(copyBytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
