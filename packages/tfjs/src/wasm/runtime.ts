import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import { InputError, invariant } from '@murmuration/core'

/** The memory in which a backend computes, and how it is allocated. Addresses are those of bytes. */
export interface Runtime {
  readonly memory: WebAssembly.Memory
  /** 0 where nothing is left. */
  readonly malloc: (bytes: number) => number
  readonly free: (address: number) => void
}

interface EmscriptenExports {
  readonly asm?: { readonly memory?: unknown }
  readonly _malloc?: Runtime['malloc']
  readonly _free?: Runtime['free']
}

/** Emscripten keeps the exports of its module, and with them the memory, in `asm`; the backend's types do not say so. */
export function runtimeOf({ wasm }: BackendWasm): Runtime {
  const { asm, _malloc: malloc, _free: free } = wasm as EmscriptenExports
  const memory = asm?.memory
  invariant(
    memory instanceof WebAssembly.Memory && malloc !== undefined && free !== undefined,
    'the memory of the WASM backend is not where version 4.22.0 has it'
  )
  return { memory, malloc, free }
}

/** Every array begins at a multiple of a cache line. */
const lineBytes = 64

/** One part of a backend's memory that is used again and again, by one computation at a time. It grows to what the largest needs. */
export class Scratch {
  readonly #runtime: Runtime
  #address = 0
  #bytes = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /**
   * Arrays of so many numbers, which hold anything. They are valid until the next call, and until the backend allocates a tensor.
   * Throws an {@link InputError} where no memory is left for them.
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
    this.#address = this.#runtime.malloc(bytes) >>> 0
    this.#bytes = this.#address === 0 ? 0 : bytes
    if (this.#address === 0)
      throw new InputError(`the WASM backend has no memory left for ${bytes} bytes of a gradient`)
  }
}
