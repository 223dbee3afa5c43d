import { scaled } from './bits.js'
import { expInParts, parts } from './exponential-table.js'
import { productError } from './power.js'

/** tanh(x) = (e^(2x) − 1) / (e^(2x) + 1), with the exponential in two parts; near 0 by its series. */
export function tanh(x: number): number {
  const size = Math.abs(x)
  if (size < 2 ** -28) return x
  if (size < 1 / 16) return x - x * fraction(x * x)
  if (!(size < 22)) return Number.isNaN(x) ? x : Math.sign(x)
  const k = expInParts(2 * size, 0)
  const high = scaled(parts[0], k)
  const low = scaled(parts[1], k)
  const below = high - 1
  const above = high + 1
  const quotient = (below + low) / (above + low)
  // What the quotient lacks: of the sums above, the first part is the larger.
  const product = quotient * above
  const left = below - product - productError(quotient, above, product)
  const lost = high - below - 1 - quotient * (high - above + 1)
  const result = quotient + (left + lost + low * (1 - quotient)) / above
  return x < 0 ? -result : result
}

/** 1 − tanh(x) / x as a series in x², for |x| < 1/16. */
function fraction(z: number): number {
  return z * (1 / 3 - z * (2 / 15 - z * (17 / 315 - z * (62 / 2835 - z * (1382 / 155925 - z * (21844 / 6081075))))))
}
