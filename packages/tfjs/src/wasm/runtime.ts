import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import { InputError, invariant } from '@murmuration/core'

/** The memory in which a backend computes, and its allocator. Addresses are in bytes. */
export interface Runtime {
  readonly memory: WebAssembly.Memory
  /** Returns 0 when no memory is left. */
  readonly malloc: (bytes: number) => number
  readonly free: (address: number) => void
}

interface EmscriptenExports {
  readonly asm?: { readonly memory?: unknown }
  readonly _malloc?: Runtime['malloc']
  readonly _free?: Runtime['free']
}

/** Emscripten keeps the exports of its module, including the memory, in `asm`; the backend's types lack it. */
export function runtimeOf({ wasm }: BackendWasm): Runtime {
  const { asm, _malloc: malloc, _free: free } = wasm as EmscriptenExports
  const memory = asm?.memory
  invariant(
    memory instanceof WebAssembly.Memory && malloc !== undefined && free !== undefined,
    'the memory of the WASM backend was not found where version 4.22.0 has it'
  )
  return { memory, malloc, free }
}

/** Every array begins at a multiple of a cache line. */
const lineBytes = 64

/** A reused part of a backend's memory, for one computation at a time. It grows to the largest need. */
export class Scratch {
  readonly #runtime: Runtime
  #address = 0
  #bytes = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /**
   * Arrays of these lengths, with arbitrary content. They are valid until the next call, and until the backend
   * allocates a tensor.
   *
   * @throws InputError where no memory is left for them
   */
  arrays(lengths: readonly number[]): readonly Float32Array[] {
    const sizes = lengths.map((length) => lineBytes * Math.ceil((4 * length) / lineBytes))
    this.#reserve(sizes.reduce((sum, size) => sum + size, lineBytes))
    let address = lineBytes * Math.ceil(this.#address / lineBytes)
    return lengths.map((length, index) => {
      const array = new Float32Array(this.#runtime.memory.buffer, address, length)
      address += sizes[index]
      return array
    })
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes) return
    if (this.#bytes > 0) this.#runtime.free(this.#address)
    // The allocator takes a length of 32 bits, and 2 GiB or more would be another.
    this.#address = bytes < 2 ** 31 ? this.#runtime.malloc(bytes) >>> 0 : 0
    this.#bytes = this.#address === 0 ? 0 : bytes
    if (this.#address === 0)
      throw new InputError(`the WASM backend has no memory left for ${bytes} bytes of a gradient`)
  }
}
