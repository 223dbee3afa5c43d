import { InputError, invariant, messageOf } from '@murmuration/core'

const page = 65_536
const mostPages = 65_536

/** What a program in WebAssembly takes as the place of a number. */
export type Address = number

/** A piece of a {@link KernelMemory}, and where it begins. */
export interface Piece<Numbers> {
  readonly at: Address
  readonly numbers: Numbers
}

/** Memory that kernels in WebAssembly compute in: one allocation of a fixed size, which is handed out piece by piece. */
export class KernelMemory {
  readonly memory: WebAssembly.Memory
  #next: Address = 0

  /**
   * @param lengths - bytes of the pieces that will be taken, in any order
   * Throws an {@link InputError} when they are more than the 4 GiB that WebAssembly can address, or cannot be had.
   */
  constructor(lengths: readonly number[]) {
    const bytes = lengths.reduce((sum, length) => sum + aligned(length), 0)
    const pages = Math.ceil(bytes / page)
    if (pages > mostPages) {
      throw new InputError(`the samples take ${(bytes / 2 ** 30).toFixed(1)} GiB of memory; at most 4 GiB are possible`)
    }
    this.memory = allocate(pages)
  }

  float32(length: number): Piece<Float32Array> {
    const at = this.#take(4 * length)
    return { at, numbers: new Float32Array(this.memory.buffer, at, length) }
  }

  float64(length: number): Piece<Float64Array> {
    const at = this.#take(8 * length)
    return { at, numbers: new Float64Array(this.memory.buffer, at, length) }
  }

  uint32(length: number): Piece<Uint32Array> {
    const at = this.#take(4 * length)
    return { at, numbers: new Uint32Array(this.memory.buffer, at, length) }
  }

  #take(bytes: number): Address {
    const at = this.#next
    this.#next += aligned(bytes)
    invariant(this.#next <= this.memory.buffer.byteLength, () => `${bytes} bytes were taken that nobody asked for`)
    return at
  }
}

function allocate(pages: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages })
  } catch (error) {
    // Engines reserve far more addresses than memory, so that they need not check bounds.
    throw new InputError(
      `${pages} pages of memory for the samples cannot be had: ${messageOf(error)}; 10 GiB of addresses are wanted, which "ulimit -v" may limit`
    )
  }
}

/** Vectors of 16 bytes are loaded fastest from multiples of 16. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16
}
