import { copyNumbers } from '../copy.js'
import { assemble } from '../wasm/assembler.js'
import { halfKernels } from './kernels/half-kernels.js'
import { int8Kernels } from './kernels/int8-kernels.js'
import { blockLength, infiniteBits, layout, pages, tallyLength } from './kernels/layout.js'
import { pickKernels } from './kernels/pick-kernels.js'

/** A kernel for the numbers up to an address; what lies where, `layout` says. */
type BlockKernel = (end: number) => void

/** The kernels by name. */
export type Kernels = { readonly [name in HalfKernel | Int8Kernel]: BlockKernel } & {
  readonly inspect: BlockKernel
  tally(end: number, mask: number, wanted: number, shift: number, bins: number): void
  pick(end: number, least: number): void
}

type Verb = 'encode' | 'encodeDelta' | 'decode' | 'decodeDelta'
type HalfKernel = `${Verb}Float16` | `${Verb}Bfloat16`
type Int8Kernel = `${Verb}Int8`

/**
 * Memory in which the kernels compute, block by block, and which nobody else sees. All codecs of a thread share it: nothing lies there
 * from one call to the next.
 */
export class Scratch {
  static #only: Scratch | undefined

  readonly kernels: Kernels
  readonly numbers: Float32Array
  readonly reference: Float32Array
  readonly codes: Uint8Array
  readonly dice: Uint32Array
  readonly tally: Uint32Array
  readonly #numberBytes: Uint8Array
  readonly #worst: Uint32Array
  readonly #end: Uint32Array
  readonly #pickedPlaces: Uint32Array
  readonly #pickedChanges: Float32Array

  /** Made on first use, since most who import this package encode nothing. */
  static get only(): Scratch {
    return (Scratch.#only ??= new Scratch())
  }

  private constructor() {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const module = new WebAssembly.Module(assemble([...halfKernels, ...int8Kernels, ...pickKernels]))
    this.kernels = new WebAssembly.Instance(module, { memory: { memory } }).exports as unknown as Kernels
    const { buffer } = memory
    this.numbers = new Float32Array(buffer, layout.numbers, blockLength)
    this.reference = new Float32Array(buffer, layout.reference, blockLength)
    this.codes = new Uint8Array(buffer, layout.codes, 8 * blockLength)
    this.dice = new Uint32Array(buffer, layout.dice, 16)
    this.tally = new Uint32Array(buffer, layout.tally, tallyLength)
    this.#numberBytes = new Uint8Array(buffer, layout.numbers, 4 * blockLength)
    this.#worst = new Uint32Array(buffer, layout.worst, 4)
    this.#end = new Uint32Array(buffer, layout.end, 1)
    this.#pickedPlaces = new Uint32Array(buffer, layout.codes, 2 * blockLength)
    this.#pickedChanges = new Float32Array(buffer, layout.codes, 2 * blockLength)
  }

  /**
   * Copies a block, and its reference unless that is absent, to where kernels look for them, with zeros up to a multiple of `step`.
   * Returns the address behind the last of them.
   */
  load(values: Float32Array, reference: Float32Array | undefined, step: number): number {
    const padded = Math.ceil(values.length / step) * step
    copyNumbers(this.numbers, values)
    this.numbers.fill(0, values.length, padded)
    if (reference !== undefined) {
      copyNumbers(this.reference, reference)
      this.reference.fill(0, values.length, padded)
    }
    return layout.numbers + 4 * padded
  }

  /** Copies numbers as bytes, in whole fours, to where kernels look for numbers. */
  loadBytes(bytes: Uint8Array, step: number): number {
    const count = bytes.byteLength / 4
    const padded = Math.ceil(count / step) * step
    this.#numberBytes.set(bytes)
    this.numbers.fill(0, count, padded)
    return layout.numbers + 4 * padded
  }

  /** Whether all numbers that the last kernel saw and made were finite. */
  get finite(): boolean {
    return this.isBelow(infiniteBits)
  }

  /** Whether all numbers that the last kernel saw and made are smaller in size than the positive number with these bits. */
  isBelow(bits: number): boolean {
    return this.#worst.every((size) => size < bits)
  }

  /** How many numbers were picked. */
  get picked(): number {
    return (this.#end[0] - layout.codes) / 8
  }

  /** The place within the block of the number that was picked as the `index`th, and its change. */
  pickedPlace(index: number): number {
    return this.#pickedPlaces[2 * index] / 4
  }

  pickedChange(index: number): number {
    return this.#pickedChanges[2 * index + 1]
  }

  /** The same as bits, without its sign. */
  pickedSize(index: number): number {
    return this.#pickedPlaces[2 * index + 1] & 0x7fff_ffff
  }
}
