import { blockLength, changeStep, CodecWorkspace, infiniteBits } from './workspace.js'

/** The 31 bits of a magnitude, in three parts from the highest: where each begins, and its largest value. */
const parts = [
  { shift: 19, bins: 0xfff },
  { shift: 7, bins: 0xfff },
  { shift: 0, bins: 0x7f }
] as const

/** The magnitude from which changes count among the largest, as the bits of a float32 number. */
export interface Threshold {
  readonly size: number
  /** How many changes of exactly this magnitude count. */
  readonly ties: number
}

/**
 * The threshold of the `count` numbers of `values` that changed most since `reference`, or `undefined` when a change is
 * not finite. A radix select: of numbers without a sign, the larger one has the larger bits. A histogram of the highest
 * bits gives the highest bits of the threshold, and one more pass each gives the middle and the lowest ones.
 */
export function thresholdOf(values: Float32Array, reference: Float32Array, count: number): Threshold | undefined {
  let size = 0
  let mask = 0
  let ties = count
  for (const { shift, bins } of parts) {
    const histogram = histogramOf(values, reference, mask, size, shift, bins)
    if (mask === 0 && histogram.subarray(infiniteBits >>> shift).some((found) => found > 0)) return undefined
    let bin = bins
    for (; bin > 0 && histogram[bin] < ties; bin--) ties -= histogram[bin]
    size |= bin << shift
    mask |= bins << shift
  }
  return { size, ties }
}

function histogramOf(
  values: Float32Array,
  reference: Float32Array,
  mask: number,
  prefix: number,
  shift: number,
  bins: number
): Uint32Array {
  const workspace = CodecWorkspace.only
  workspace.histogram.fill(0)
  for (let start = 0; start < values.length; start += blockLength) {
    const referenceBlock = reference.subarray(start, start + blockLength)
    const end = workspace.load(values.subarray(start, start + blockLength), referenceBlock, changeStep)
    workspace.kernels.countChanges(end, mask, prefix, shift, bins)
  }
  return workspace.histogram
}

/**
 * Writes the places and changes of the numbers that reach the threshold, in the order of their places; of ties the
 * first ones. Omits changes of zero. Returns how many there are.
 */
export function selectChanges(
  values: Float32Array,
  reference: Float32Array,
  threshold: Threshold,
  places: Uint32Array,
  changes: Float32Array
): number {
  const workspace = CodecWorkspace.only
  const minSize = Math.max(1, threshold.size)
  let { ties } = threshold
  let found = 0
  for (let start = 0; start < values.length; start += blockLength) {
    const referenceBlock = reference.subarray(start, start + blockLength)
    workspace.kernels.selectChanges(
      workspace.load(values.subarray(start, start + blockLength), referenceBlock, changeStep),
      minSize
    )
    const { selected } = workspace
    for (let index = 0; index < selected; index++) {
      if (workspace.selectedSize(index) === threshold.size && ties-- <= 0) continue
      places[found] = start + workspace.selectedPlace(index)
      changes[found++] = workspace.selectedChange(index)
    }
  }
  return found
}

/** The largest |x| of some numbers. */
export function largestOf(numbers: Float32Array): number {
  let largest = 0
  for (const number of numbers) largest = Math.max(largest, Math.abs(number))
  return largest
}
