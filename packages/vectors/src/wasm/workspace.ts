import { copyNumbers } from '../copy.js'
import { KernelMemory } from './memory.js'
import { instantiate } from './module.js'
import * as modules from './modules.js'

/**
 * A function over vectors whose addresses are in a table, a line of {@link lineBytes} for each (see
 * assembly/vectors.ts).
 *
 * @param end - the address behind the last line
 * @param result - {@link resultBytes} of memory for results that are not vectors
 * @param bytes - the length of every vector, a multiple of {@link stepBytes}, not 0
 */
type ReductionKernel = (table: number, end: number, result: number, bytes: number) => void
type ReductionKernels = { readonly [name in 'sum' | 'squares' | 'magnitude' | 'touch']: ReductionKernel }

// The same values as in assembly/vectors.ts.
const lineBytes = 16
const factorOffset = 8
const resultBytes = 64
const stepBytes = 64

/** A vector that a kernel reads or writes. */
export interface Operand {
  readonly vector: Float32Array
  readonly use: 'read' | 'write'
  /** The number in its line of the table, if the kernel reads one, such as a weight. */
  readonly factor?: number
}

/** The position of a vector for the kernel. */
interface Location {
  readonly vector: Float32Array
  /** The scratch buffer for the current block; undefined when the vector lies in the workspace's memory. */
  readonly buffer: Float32Array | undefined
  /** Its address there. */
  readonly address: number | undefined
  read: boolean
  written: boolean
}

const stepLength = stepBytes / 4

/** Numbers per call of a kernel, at most: few enough that touched or copied data is still in the cache. */
const blockLength = 4096

/** The result and the table precede the scratch buffers. */
const headBytes = 2048
const buffersLength = 16 * blockLength

/** How many numbers of its memory a workspace takes. */
export const workspaceLength = headBytes / 4 + buffersLength

/** The number of lines of the table. */
export const maxOperands = (headBytes - resultBytes) / lineBytes

/**
 * Where a thread computes with kernels: a table of the vectors, and scratch buffers through which vectors in other
 * memory are copied block by block. One computation at a time uses it, and none awaits anything.
 */
export class Workspace {
  /** The result of the last kernel: as float64 numbers, and as integers. */
  readonly numbers: Float64Array
  readonly integers: Uint32Array
  readonly #memory: KernelMemory
  readonly #kernels: ReductionKernels
  readonly #result: number
  readonly #addresses: Uint32Array
  readonly #factors: Float64Array
  readonly #buffers: Float32Array

  /** @param area - {@link workspaceLength} numbers of `memory` */
  constructor(memory: KernelMemory, { buffer, byteOffset }: Float32Array) {
    const table = byteOffset + resultBytes
    this.numbers = new Float64Array(buffer, byteOffset, resultBytes / 8)
    this.integers = new Uint32Array(buffer, byteOffset, resultBytes / 4)
    this.#memory = memory
    this.#kernels = instantiate(memory.isShared ? modules.sharedVectors : modules.vectors, memory.memory)
    this.#result = byteOffset
    this.#addresses = new Uint32Array(buffer, table, (maxOperands * lineBytes) / 4)
    this.#factors = new Float64Array(buffer, table, (maxOperands * lineBytes) / 8)
    this.#buffers = new Float32Array(buffer, byteOffset + headBytes, buffersLength)
  }

  /**
   * Computes numbers from `from` up to `to`, except for a remainder at the end, and returns where that begins. The
   * result is zeroed first.
   */
  run(name: keyof ReductionKernels, operands: readonly Operand[], from: number, to: number): number {
    const end = to - ((to - from) % stepLength)
    const block = Math.min(blockLength, bufferLength(operands.length))
    const locations: Location[] = []
    const lines = operands.map((operand, line) => this.#locate(operand, line, locations, block))
    const touched = locations.some(({ read, written }) => read && written)
    for (let k = 0; k < this.numbers.length; k++) this.numbers[k] = 0
    for (let start = from; start < end; start += block) {
      const length = Math.min(block, end - start)
      for (const location of locations) copyIn(location, start, length)
      for (let line = 0; line < lines.length; line++) {
        this.#addresses[(line * lineBytes) / 4] = addressOf(lines[line], start)
      }
      if (touched) this.#call('touch', lines.length, length)
      this.#call(name, lines.length, length)
      for (const location of locations) copyOut(location, start, length)
    }
    return end
  }

  /**
   * Writes a line of the table except for the address. Returns the position of the vector: identical operands share it.
   */
  #locate({ vector, use, factor }: Operand, line: number, locations: Location[], length: number): Location {
    this.#factors[(line * lineBytes + factorOffset) / 8] = factor ?? 0
    const isInMemory = this.#has(vector)
    const { byteOffset } = vector
    let location = locations.find((other) => other.vector === vector || (isInMemory && other.address === byteOffset))
    if (location === undefined) {
      const buffer = isInMemory ? undefined : this.#buffers.subarray(line * length, (line + 1) * length)
      location = { vector, buffer, address: isInMemory ? byteOffset : undefined, read: false, written: false }
      locations.push(location)
    }
    location.read ||= use !== 'write'
    location.written ||= use !== 'read'
    return location
  }

  /**
   * Most of its vectors lie in the same buffer; only those from before a growth of the memory lie in an earlier one.
   */
  #has(vector: Float32Array): boolean {
    return vector.buffer === this.#buffers.buffer || KernelMemory.of(vector) === this.#memory
  }

  #call(name: keyof ReductionKernels, lines: number, length: number): void {
    const table = this.#result + resultBytes
    this.#kernels[name](table, table + lines * lineBytes, this.#result, 4 * length)
  }
}

/** The length of each scratch buffer when there are so many. */
function bufferLength(buffers: number): number {
  return Math.floor(buffersLength / buffers / stepLength) * stepLength
}

function addressOf({ vector, buffer }: Location, start: number): number {
  return buffer === undefined ? vector.byteOffset + 4 * start : buffer.byteOffset
}

function copyIn({ vector, buffer, read }: Location, start: number, length: number): void {
  if (buffer !== undefined && read) copyNumbers(buffer, vector.subarray(start, start + length))
}

function copyOut({ vector, buffer, written }: Location, start: number, length: number): void {
  if (buffer !== undefined && written) copyNumbers(vector.subarray(start, start + length), buffer.subarray(0, length))
}
