import type { DenseFormat } from './dense.js'
import { groupLength, infiniteBits } from './workspace.js'

/** Bytes of a group's scale. */
const scaleBytes = 4

/**
 * Layout: for each group of 256 numbers, of which the last one may have fewer, a scale as float32, and a signed byte per number,
 * −127 … 127, in units of the scale. The scale is max |x| / 127, at least 2⁻¹¹⁰. Rounds at random so that the mean is x.
 */
export const int8: DenseFormat = {
  name: 'int8',
  id: 3,
  description: '1 byte per number and a scale per 256 numbers, rounded at random',
  bytes: (count) => count + scaleBytes * Math.ceil(count / groupLength),
  step: groupLength,
  kernel: 'Int8',
  beyond: infiniteBits,
  isRandom: true,
  accuracy: { error: 1 / 126, rounds: 1, floor: 0.1 },
  deltaAccuracy: { error: 0, rounds: 6 }
}
