import { thresholdOf } from './codecs/select.js'

/** Zeros, long enough for the longest vector so far. */
let zeros = new Float32Array(0)

/**
 * Writes the `count` numbers of `values` that are farthest from 0 to `out`, at their places, and 0 to all others; of
 * ties those at lower places. Writes all numbers when one is not finite.
 */
export function keepLargest(values: Float32Array, count: number, out: Float32Array): void {
  if (zeros.length < values.length) zeros = new Float32Array(values.length)
  const threshold = thresholdOf(values, zeros.subarray(0, values.length), count)
  if (threshold === undefined) return out.set(values)
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  let { ties } = threshold
  for (let i = 0; i < values.length; i++) {
    const size = bits[i] & 0x7fffffff
    const isKept = size > threshold.size || (size === threshold.size && ties-- > 0)
    out[i] = isKept ? values[i] : 0
  }
}
