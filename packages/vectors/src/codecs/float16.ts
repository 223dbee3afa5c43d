import type { DenseFormat } from './dense.js'
import { halfStep } from './workspace.js'

/**
 * Layout: 2 bytes per number, IEEE 754 binary16. Rounds to nearest, ties to even. Its largest number is 65,504; a range
 * with an |x| that would round to infinity, 65,520 or more, is written as raw float32. A change since a reference
 * saturates instead: the rest is part of the next change.
 */
export const float16: DenseFormat = {
  name: 'float16',
  id: 1,
  description: '2 bytes per number: IEEE 754 binary16, rounded to nearest',
  bytes: (count) => 2 * count,
  step: halfStep,
  kernel: 'Float16',
  beyond: 0x477f_f000,
  isRandom: false,
  accuracy: { error: 2 ** -12, rounds: 1, floor: 1e-3 },
  deltaAccuracy: { error: 2 ** -25, rounds: 3 }
}
