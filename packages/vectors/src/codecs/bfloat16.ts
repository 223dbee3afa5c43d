import type { DenseFormat } from './dense.js'
import { halfStep } from './workspace.js'

/**
 * Layout: 2 bytes per number, the upper half of float32. Rounds to nearest, ties to even. Its largest number is (2 −
 * 2⁻⁷) · 2¹²⁷; what would round to infinity is handled as in float16.
 */
export const bfloat16: DenseFormat = {
  name: 'bfloat16',
  id: 2,
  description: '2 bytes per number: the upper half of float32, rounded to nearest',
  bytes: (count) => 2 * count,
  step: halfStep,
  kernel: 'Bfloat16',
  beyond: 0x7f7f_8000,
  isRandom: false,
  accuracy: { error: 2 ** -9, rounds: 1, floor: 1e-2 },
  deltaAccuracy: { error: 0, rounds: 5 }
}
