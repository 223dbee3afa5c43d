import { rawBytes } from './codec.js'

/** Writes numbers, given as bits of float32, to `view` from `start` on. Returns the position behind the last byte. */
export function writeNumbers(numbers: Uint32Array, view: DataView, start: number): number {
  for (let k = 0; k < numbers.length; k++) view.setUint32(start + 4 * k, numbers[k], true)
  return start + rawBytes(numbers.length)
}

/**
 * Reads as many numbers as `numbers` has room for. Returns the position behind the last byte; undefined when there are
 * fewer.
 */
export function readNumbers(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  const end = start + rawBytes(numbers.length)
  if (end > view.byteLength) return undefined
  for (let k = 0; k < numbers.length; k++) numbers[k] = view.getUint32(start + 4 * k, true)
  return end
}
