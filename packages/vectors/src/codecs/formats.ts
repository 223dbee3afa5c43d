import { copyNumbers } from '../copy.js'
import { blockLength, changeStep, CodecWorkspace, infiniteBits, type Kernels } from './workspace.js'

/** A format for all numbers of a range, one by one or in groups. */
export interface Format {
  bytes(count: number): number
  /** How many numbers kernels compute side by side. */
  readonly step: number
  /** The name of its kernels. */
  readonly kernel: FormatKernel
  /**
   * Bits of the smallest |x| that it cannot represent, even after rounding; those of infinity when it can represent all
   * finite x.
   */
  readonly beyond: number
  /** Whether it rounds at random. */
  readonly isRandom: boolean
}

/** `Float16`, if there are kernels `encodeFloat16`, `encodeDeltaFloat16`, `decodeFloat16` and `decodeDeltaFloat16`. */
type FormatKernel = keyof Kernels extends infer Name
  ? Name extends `encodeDelta${infer Kernel}`
    ? Kernel
    : never
  : never

/**
 * Writes `values`, or with a `reference` the changes since, to `out`; the reference becomes what the receiver then has.
 * Returns false when that is impossible: because something is not finite, such as a reference that was never set, or
 * because without a reference the format cannot represent a number. The reference is then undefined.
 *
 * @param draws - the state of the random generator, 16 integers; it is advanced
 */
export function encodeRange(
  format: Format,
  values: Float32Array,
  reference: Float32Array | undefined,
  out: Uint8Array,
  draws?: Uint32Array
): boolean {
  const workspace = CodecWorkspace.only
  const kernel = kernelOf(workspace.kernels, 'encode', format, reference)
  if (draws !== undefined) workspace.randomState.set(draws)
  for (let start = 0; start < values.length; start += blockLength) {
    const count = Math.min(blockLength, values.length - start)
    const referenceBlock = reference?.subarray(start, start + count)
    kernel(workspace.load(values.subarray(start, start + count), referenceBlock, format.step))
    if (!workspace.isBelow(reference === undefined ? format.beyond : infiniteBits)) return false
    referenceBlock?.set(workspace.reference.subarray(0, count))
    out.set(workspace.codes.subarray(0, format.bytes(count)), format.bytes(start))
  }
  draws?.set(workspace.randomState)
  return true
}

/**
 * Reads `format.bytes(out.length)` bytes to `out`; with a `reference` they are the changes since, and it becomes the
 * same as `out`. Returns false when a number is not finite. Such a number is not written, but some of the others are.
 */
export function decodeRange(
  format: Format,
  bytes: Uint8Array,
  reference: Float32Array | undefined,
  out: Float32Array
): boolean {
  const workspace = CodecWorkspace.only
  const kernel = kernelOf(workspace.kernels, 'decode', format, reference)
  for (let start = 0; start < out.length; start += blockLength) {
    const count = Math.min(blockLength, out.length - start)
    const padded = Math.ceil(count / format.step) * format.step
    if (reference !== undefined) workspace.load(reference.subarray(start, start + count), undefined, format.step)
    const from = format.bytes(start)
    const to = format.bytes(start + count)
    workspace.codes.set(bytes.subarray(from, to))
    workspace.codes.fill(0, to - from, format.bytes(padded))
    kernel(workspace.endOf(padded))
    if (!workspace.finite) return false
    const numbers = workspace.numbers.subarray(0, count)
    reference?.set(numbers, start)
    copyNumbers(out.subarray(start, start + count), numbers)
  }
  return true
}

function kernelOf(
  kernels: Kernels,
  verb: 'encode' | 'decode',
  { kernel }: Format,
  reference: Float32Array | undefined
): (end: number) => void {
  return kernels[`${verb}${reference === undefined ? '' : 'Delta'}${kernel}`]
}

/**
 * Whether no number of raw float32 `bytes`, a multiple of 4, is NaN or infinite. Copies them to `out` up to the first
 * block that contains one.
 */
export function copyFinite(bytes: Uint8Array, out?: Uint8Array): boolean {
  const workspace = CodecWorkspace.only
  for (let start = 0; start < bytes.byteLength; start += 4 * blockLength) {
    const block = bytes.subarray(start, start + 4 * blockLength)
    workspace.kernels.inspect(workspace.loadBytes(block, changeStep))
    if (!workspace.finite) return false
    out?.set(block, start)
  }
  return true
}
