import { InputError, invariant, messageOf } from '@murmuration/core'

const pageBytes = 65_536

/** The maximum that 32 bits can address. */
const maxPages = 65_536

/** Arrays begin at multiples of a cache line. */
const lineBytes = 64

/** The memory of each buffer: shared memory has a new buffer after each growth, and the old ones stay valid. */
const memories = new WeakMap<ArrayBufferLike, KernelMemory>()

/** Copies all bytes of `source` to the beginning of `target`. */
export type CopyBytes = (target: Uint8Array, source: Uint8Array) => void

const setBytes: CopyBytes = (target, source) => target.set(source)

/** A `WebAssembly.Memory`; the type has no name without the DOM's types. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/**
 * Memory in which kernels in WebAssembly compute. Arrays are acquired from it one after the other; the address of one,
 * for a kernel, is its `byteOffset`. They are not released one by one: the owner reuses them, and all are freed with
 * the memory as a whole.
 */
export class KernelMemory {
  readonly memory: LinearMemory
  /** How vectors are copied to and from it. */
  readonly copy: CopyBytes
  #end = 0

  private constructor(memory: LinearMemory, copy: CopyBytes) {
    this.memory = memory
    this.copy = copy
  }

  /**
   * Memory that threads share. It grows as arrays are acquired.
   *
   * @param copy - a faster way than `set`, where the platform has one: in memory shared by threads, `set` copies byte
   * by byte when the two are not aligned alike
   *
   * @throws RangeError where 4 GiB of address space cannot be had, which `ulimit -v` may limit
   */
  static shared(copy: CopyBytes = setBytes): KernelMemory {
    return new KernelMemory(new WebAssembly.Memory({ initial: 0, maximum: maxPages, shared: true }), copy)
  }

  /**
   * Memory of a fixed size for one thread.
   *
   * @param lengths - bytes of the arrays that will be acquired, in any order
   * @throws InputError when they exceed the 4 GiB that WebAssembly can address, or cannot be had
   */
  static fixed(lengths: readonly number[]): KernelMemory {
    const bytes = lengths.reduce((sum, length) => sum + aligned(length), 0)
    const pages = Math.ceil(bytes / pageBytes)
    if (pages > maxPages) {
      throw new InputError(`kernels need ${(bytes / 2 ** 30).toFixed(1)} GiB of memory, and can have at most 4 GiB`)
    }
    try {
      return new KernelMemory(new WebAssembly.Memory({ initial: pages, maximum: pages }), setBytes)
    } catch (error) {
      // Engines reserve far more addresses than memory, so that they need no bounds checks.
      throw new InputError(
        `cannot allocate ${pages} pages of memory for kernels: ${messageOf(error)}; they need 10 GiB of address space, which "ulimit -v" may limit`
      )
    }
  }

  /** The shared memory that contains `vector`, if any does. */
  static of(vector: Float32Array): KernelMemory | undefined {
    return memories.get(vector.buffer)
  }

  get isShared(): boolean {
    return !(this.memory.buffer instanceof ArrayBuffer)
  }

  /** Bytes that were acquired. */
  get acquired(): number {
    return this.#end
  }

  /** A new vector of zeros; `undefined` when there is not enough memory left. */
  vector(length: number): Float32Array | undefined {
    const address = this.#acquire(4 * length)
    return address === undefined ? undefined : new Float32Array(this.memory.buffer, address, length)
  }

  float32(length: number): Float32Array {
    const address = this.#expect(4 * length)
    return new Float32Array(this.memory.buffer, address, length)
  }

  float64(length: number): Float64Array {
    const address = this.#expect(8 * length)
    return new Float64Array(this.memory.buffer, address, length)
  }

  uint32(length: number): Uint32Array {
    const address = this.#expect(4 * length)
    return new Uint32Array(this.memory.buffer, address, length)
  }

  #expect(bytes: number): number {
    const address = this.#acquire(bytes)
    invariant(address !== undefined, () => `${bytes} bytes exceed the memory that was allocated for kernels`)
    return address
  }

  /** The address of newly acquired bytes. */
  #acquire(bytes: number): number | undefined {
    const address = this.#end
    const end = address + Math.max(lineBytes, aligned(bytes))
    if (!this.#reach(end)) return undefined
    this.#end = end
    return address
  }

  /** Grows the memory to at least `end` bytes. Returns false if that is impossible. */
  #reach(end: number): boolean {
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / pageBytes)
    if (missing <= 0) return true
    if (!this.isShared || end > maxPages * pageBytes) return false
    try {
      this.memory.grow(missing)
    } catch {
      return false
    }
    memories.set(this.memory.buffer, this)
    return true
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / lineBytes) * lineBytes
}
