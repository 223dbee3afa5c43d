import { sharedPages } from './assembler.js'

const page = 65_536

/** Vectors begin at multiples of a cache line. */
const lineBytes = 64

/** Which memory a buffer is a view of: a memory has a new buffer after each growth, and the old ones stay valid. */
const memories = new WeakMap<ArrayBufferLike, VectorMemory>()

/** A `WebAssembly.Memory`, which has no name where the DOM's types are missing. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/**
 * Memory for vectors, in which kernels in WebAssembly compute without copying, and which threads share. What was taken is never
 * given back: who takes vectors uses them again, and what is not used any more ends with the memory as a whole.
 */
export class VectorMemory {
  readonly memory: LinearMemory
  #next = 0

  /** Throws a RangeError where so much address space cannot be had, which `ulimit -v` may limit. */
  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 0, maximum: sharedPages, shared: true })
  }

  /** The memory that `vector` lies in, if it lies in one. */
  static of(vector: Float32Array): VectorMemory | undefined {
    return memories.get(vector.buffer)
  }

  /** Bytes that were taken. */
  get taken(): number {
    return this.#next
  }

  /** A vector of zeros that nobody else has; `undefined` when less is left of the 4 GiB that can be addressed. */
  take(length: number): Float32Array | undefined {
    const at = this.#next
    const end = at + Math.max(lineBytes, Math.ceil((4 * length) / lineBytes) * lineBytes)
    if (!this.#reach(end)) return undefined
    this.#next = end
    return new Float32Array(this.memory.buffer, at, length)
  }

  /** Grows the memory to `end` bytes at least, unless that cannot be. */
  #reach(end: number): boolean {
    const lacking = Math.ceil((end - this.memory.buffer.byteLength) / page)
    if (lacking <= 0) return true
    if (end > sharedPages * page) return false
    try {
      this.memory.grow(lacking)
    } catch {
      return false
    }
    memories.set(this.memory.buffer, this)
    return true
  }
}
