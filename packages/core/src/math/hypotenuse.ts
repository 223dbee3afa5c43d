import { exponentOf, scaled } from './bits.js'
import { productError } from './power.js'

/** √(Σ x²), without overflow or loss in between: scaled by a power of 2, the sum of the squares in two parts. */
export function hypot(...values: readonly number[]): number {
  const largest = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  if (values.some((value) => Math.abs(value) === Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY
  if (!(largest > 0)) return largest
  const exponent = exponentOf(largest)
  let sum = 0
  let rest = 0
  for (const value of values) {
    const x = scaled(value, -exponent)
    const square = x * x
    const next = sum + square
    const part = next - sum
    rest += productError(x, x, square) + (sum - (next - part) + (square - part))
    sum = next
  }
  return scaled(Math.sqrt(sum + rest), exponent)
}
