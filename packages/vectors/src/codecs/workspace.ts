import { copyNumbers } from '../copy.js'
import { KernelMemory } from '../wasm/memory.js'
import { instantiate } from '../wasm/module.js'
import { codecs } from '../wasm/modules.js'

// The same values as in assembly/layout.ts and its neighbours.

/** How many numbers kernels take at a time: a multiple of {@link groupLength}, and few enough to stay in the cache. */
export const blockLength = 8192
/** How many integers share a scale. */
export const groupLength = 256
/** How many numbers kernels compute side by side. */
export const halfStep = 8
export const changeStep = 4

const memoryBytes = 3 * 65_536

/** The bits of infinity as float32: less than those of any NaN. */
export const infiniteBits = 0x7f80_0000

/** A kernel for the numbers up to an address. */
type BlockKernel = (end: number) => void

/** The kernels by name. */
export type Kernels = { readonly [name in HalfKernel | IntegerKernel]: BlockKernel } & {
  readonly inspect: BlockKernel
  countChanges(end: number, mask: number, prefix: number, shift: number, bins: number): void
  selectChanges(end: number, minSize: number): void
}

/** The addresses of the areas in the memory, in bytes. */
type MemoryLayout = {
  readonly [name in 'numbers' | 'reference' | 'codes' | 'histogram' | 'largest' | 'randomState' | 'selectedEnd']: number
} & { readonly histogramLength: number }

type Verb = 'encode' | 'encodeDelta' | 'decode' | 'decodeDelta'
type HalfKernel = `${Verb}Float16` | `${Verb}Bfloat16`
type IntegerKernel = `${Verb}Int8` | `${Verb}Int4`

/**
 * Scratch buffers in which the codecs' kernels compute, block by block; no other code sees them. All codecs of a thread
 * share them: nothing is kept there from one call to the next.
 */
export class CodecWorkspace {
  static #only: CodecWorkspace | undefined

  readonly kernels: Kernels
  readonly numbers: Float32Array
  readonly reference: Float32Array
  readonly codes: Uint8Array
  readonly randomState: Uint32Array
  readonly histogram: Uint32Array
  /** The address of the block. */
  readonly #start: number
  readonly #numberBytes: Uint8Array
  readonly #largest: Uint32Array
  readonly #selectedEnd: Uint32Array
  readonly #selectedPlaces: Uint32Array
  readonly #selectedChanges: Float32Array

  /** Created on first use, since most importers of this package encode nothing. */
  static get only(): CodecWorkspace {
    return (CodecWorkspace.#only ??= new CodecWorkspace())
  }

  private constructor() {
    const { memory } = KernelMemory.fixed([memoryBytes])
    const exports = instantiate<Kernels & MemoryLayout>(codecs, memory)
    const { buffer } = memory
    this.kernels = exports
    this.#start = exports.numbers
    this.numbers = new Float32Array(buffer, exports.numbers, blockLength)
    this.reference = new Float32Array(buffer, exports.reference, blockLength)
    this.codes = new Uint8Array(buffer, exports.codes, 8 * blockLength)
    this.randomState = new Uint32Array(buffer, exports.randomState, 16)
    this.histogram = new Uint32Array(buffer, exports.histogram, exports.histogramLength)
    this.#numberBytes = new Uint8Array(buffer, exports.numbers, 4 * blockLength)
    this.#largest = new Uint32Array(buffer, exports.largest, 4)
    this.#selectedEnd = new Uint32Array(buffer, exports.selectedEnd, 1)
    this.#selectedPlaces = new Uint32Array(buffer, exports.codes, 2 * blockLength)
    this.#selectedChanges = new Float32Array(buffer, exports.codes, 2 * blockLength)
  }

  /** The address behind the first `count` numbers of the block. */
  endOf(count: number): number {
    return this.#start + 4 * count
  }

  /**
   * Copies a block, and its reference if there is one, to the areas that kernels read, with zeros up to a multiple of
   * `step`. Returns the address behind the last number.
   */
  load(values: Float32Array, reference: Float32Array | undefined, step: number): number {
    const padded = Math.ceil(values.length / step) * step
    copyNumbers(this.numbers, values)
    this.numbers.fill(0, values.length, padded)
    if (reference !== undefined) {
      copyNumbers(this.reference, reference)
      this.reference.fill(0, values.length, padded)
    }
    return this.endOf(padded)
  }

  /** Copies numbers given as bytes, a multiple of 4, to the area that kernels read numbers from. */
  loadBytes(bytes: Uint8Array, step: number): number {
    const count = bytes.byteLength / 4
    const padded = Math.ceil(count / step) * step
    this.#numberBytes.set(bytes)
    this.numbers.fill(0, count, padded)
    return this.endOf(padded)
  }

  /** Whether all inputs and outputs of the last kernel were finite. */
  get finite(): boolean {
    return this.isBelow(infiniteBits)
  }

  /**
   * Whether all inputs and outputs of the last kernel are smaller in magnitude than the positive number with these
   * bits.
   */
  isBelow(bits: number): boolean {
    return this.#largest.every((size) => size < bits)
  }

  /** How many numbers were selected. */
  get selected(): number {
    return (this.#selectedEnd[0] - this.codes.byteOffset) / 8
  }

  /** The place of the `index`th selected number within the block. */
  selectedPlace(index: number): number {
    return this.#selectedPlaces[2 * index] / 4
  }

  selectedChange(index: number): number {
    return this.#selectedChanges[2 * index + 1]
  }

  /** The change's bits, without its sign. */
  selectedSize(index: number): number {
    return this.#selectedPlaces[2 * index + 1] & 0x7fff_ffff
  }
}
