import { copyNumbers } from '../copy.js'
import { assemble } from './assembler.js'
import {
  type Address,
  factorAt,
  lineBytes,
  resultBytes,
  stepBytes,
  type VectorKernels,
  vectorKernels
} from './vector-kernels.js'
import { VectorMemory } from './vector-memory.js'

/** A vector that a kernel computes with. */
export interface Operand {
  readonly vector: Float32Array
  readonly use: 'read' | 'write'
  /** The number in its line of the table, if the kernel reads one: a weight, for example. */
  readonly factor?: number
}

/** Where the kernel finds a vector. */
interface Place {
  readonly vector: Float32Array
  /** Where the block of it lies that is computed; without one, the vector lies in the desk's memory as a whole. */
  readonly slot: Float32Array | undefined
  /** Where it lies there. */
  readonly address: Address | undefined
  read: boolean
  written: boolean
}

const stepLength = stepBytes / 4

/** Numbers per call of a kernel, at most: so few that what was touched, or copied to slots, is still in the cache. */
const blockLength = 4096

/** The result and the table lie before the slots. */
const headBytes = 2048
const slotsLength = 16 * blockLength

/** How many numbers a desk takes of its memory. */
export const deskLength = headBytes / 4 + slotsLength

/** As many vectors as the table has lines. */
export const mostOperands = (headBytes - resultBytes) / lineBytes

const modules = new Map<boolean, WebAssembly.Module>()

/**
 * Where a thread computes with kernels: a table of the vectors, and slots through which those vectors go block by block that
 * lie in other memory. It is used by one computation after the other, none of which awaits anything.
 */
export class Desk {
  /** What the last kernel has found: once as float64 numbers, once as integers. */
  readonly numbers: Float64Array
  readonly integers: Uint32Array
  readonly #memory: VectorMemory | undefined
  readonly #kernels: VectorKernels
  readonly #result: Address
  readonly #addresses: Uint32Array
  readonly #factors: Float64Array
  readonly #slots: Float32Array

  /**
   * @param area - {@link deskLength} numbers of `memory`
   * @param owner - whose vectors need no slots; without one, `memory` is not shared
   */
  constructor(memory: WebAssembly.Memory, { buffer, byteOffset }: Float32Array, owner?: VectorMemory) {
    const table = byteOffset + resultBytes
    this.numbers = new Float64Array(buffer, byteOffset, resultBytes / 8)
    this.integers = new Uint32Array(buffer, byteOffset, resultBytes / 4)
    this.#memory = owner
    this.#kernels = instantiate(memory, owner !== undefined)
    this.#result = byteOffset
    this.#addresses = new Uint32Array(buffer, table, (mostOperands * lineBytes) / 4)
    this.#factors = new Float64Array(buffer, table, (mostOperands * lineBytes) / 8)
    this.#slots = new Float32Array(buffer, byteOffset + headBytes, slotsLength)
  }

  /**
   * Computes numbers `from` to `to` but for a few at the end, and returns the number of the first of those. The result is
   * zeros before.
   */
  run(name: keyof VectorKernels, operands: readonly Operand[], from: number, to: number): number {
    const end = to - ((to - from) % stepLength)
    const block = Math.min(blockLength, slotLength(operands.length))
    const places: Place[] = []
    const lines = operands.map((operand, line) => this.#lay(operand, line, places, block))
    const touched = places.some(({ read, written }) => read && written)
    for (let k = 0; k < this.numbers.length; k++) this.numbers[k] = 0
    for (let start = from; start < end; start += block) {
      const length = Math.min(block, end - start)
      for (const place of places) bring(place, start, length)
      for (let line = 0; line < lines.length; line++) {
        this.#addresses[(line * lineBytes) / 4] = addressOf(lines[line], start)
      }
      if (touched) this.#call('touch', lines.length, length)
      this.#call(name, lines.length, length)
      for (const place of places) carryBack(place, start, length)
    }
    return end
  }

  /** Writes a line of the table but for the address. Returns where the vector is: operands that are the same one share it. */
  #lay({ vector, use, factor }: Operand, line: number, places: Place[], length: number): Place {
    this.#factors[(line * lineBytes + factorAt) / 8] = factor ?? 0
    const here = this.#has(vector)
    const { byteOffset } = vector
    let place = places.find((other) => other.vector === vector || (here && other.address === byteOffset))
    if (place === undefined) {
      const slot = here ? undefined : this.#slots.subarray(line * length, (line + 1) * length)
      place = { vector, slot, address: slot === undefined ? byteOffset : undefined, read: false, written: false }
      places.push(place)
    }
    place.read ||= use !== 'write'
    place.written ||= use !== 'read'
    return place
  }

  /** Most vectors that it has lie in the same buffer; in an earlier one only those from before the memory grew. */
  #has(vector: Float32Array): boolean {
    if (this.#memory === undefined) return false
    return vector.buffer === this.#slots.buffer || VectorMemory.of(vector) === this.#memory
  }

  #call(name: keyof VectorKernels, lines: number, length: number): void {
    const table = this.#result + resultBytes
    this.#kernels[name](table, table + lines * lineBytes, this.#result, 4 * length)
  }
}

/** How long slots can be when there are so many of them. */
function slotLength(slots: number): number {
  return Math.floor(slotsLength / slots / stepLength) * stepLength
}

function addressOf({ vector, slot }: Place, start: number): Address {
  return slot === undefined ? vector.byteOffset + 4 * start : slot.byteOffset
}

function bring({ vector, slot, read }: Place, start: number, length: number): void {
  if (slot !== undefined && read) copyNumbers(slot, vector.subarray(start, start + length))
}

function carryBack({ vector, slot, written }: Place, start: number, length: number): void {
  if (slot !== undefined && written) copyNumbers(vector.subarray(start, start + length), slot.subarray(0, length))
}

function instantiate(memory: WebAssembly.Memory, shared: boolean): VectorKernels {
  const module = modules.get(shared) ?? new WebAssembly.Module(assemble(vectorKernels, shared))
  modules.set(shared, module)
  return new WebAssembly.Instance(module, { memory: { memory } }).exports as unknown as VectorKernels
}
