import type { DenseFormat } from './dense.js'
import { groupLength, infiniteBits } from './workspace.js'

/** Bytes of a group's scale. */
const scaleBytes = 4

/** Bytes of the scales of `count` numbers. */
const scalesBytes = (count: number) => scaleBytes * Math.ceil(count / groupLength)

/**
 * What both have in common: each group of 256 numbers, of which the last one may have fewer, has a scale as float32, at
 * least 2⁻¹¹⁰.
 */
const integers = { step: groupLength, beyond: infiniteBits, isRandom: true }

/**
 * Layout of a group: its scale, and a signed byte per number, −127 … 127, in units of the scale. The scale is max |x|
 * / 127. Rounds at random so that the mean is x.
 */
export const int8: DenseFormat = {
  ...integers,
  name: 'int8',
  id: 3,
  description: '1 byte per number and a scale per 256 numbers, rounded at random',
  bytes: (count) => count + scalesBytes(count),
  kernel: 'Int8',
  accuracy: { error: 1 / 126, rounds: 1, floor: 0.1 },
  deltaAccuracy: { error: 0, rounds: 6 }
}

/** How many numbers share 16 bytes in {@link int4}. */
const pairsLength = 32

/**
 * Layout of a group: its scale, and for each 32 numbers up to 16 bytes: the first 16 numbers in the lower halves, the
 * last 16 in the upper ones, −7 … 7, in units of the scale. The scale is max |x| / 7. Rounds at random so that the mean
 * is x.
 */
export const int4: DenseFormat = {
  ...integers,
  name: 'int4',
  id: 5,
  description: '4 bits per number and a scale per 256 numbers, rounded at random: for links on which bytes matter most',
  bytes: (count) => Math.floor(count / pairsLength) * (pairsLength / 2) + Math.min(pairsLength / 2, count % pairsLength) + scalesBytes(count), // oxfmt-ignore
  kernel: 'Int4',
  // A number may be off by nearly a step, and a group of 256 numbers as small as its largest by more than its norm.
  accuracy: { error: 1 / 6.9, rounds: 1, floor: Number.POSITIVE_INFINITY },
  deltaAccuracy: { error: 0, rounds: 16 }
}
