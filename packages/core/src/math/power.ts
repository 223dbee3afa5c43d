import { exponentOf, scaled } from './bits.js'
import { ln2High, ln2Low } from './constants.js'
import { expInParts, parts } from './exponential-table.js'
import { inParts, logarithmSeries } from './fixed-point.js'

/** log(c) for c = i / 64 between √½ and √2, with 40 bits after the point, and the rest. */
const logHigh = new Float64Array(92)
const logLow = new Float64Array(92)
for (let i = 45; i < 92; i++) [logHigh[i], logLow[i]] = inParts(logarithmSeries(i, 64), 40n)

/**
 * xʸ as exp(y log(x)), with the logarithm in two parts (Tang, Table-driven implementation of the logarithm function,
 * ACM TOMS 16(4), 1990): the nearest number in 99 of 100 cases, and exact where xʸ is a number.
 */
export function pow(x: number, y: number): number {
  if (y === 0) return 1
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  const size = Math.abs(x)
  if (Math.abs(y) === Number.POSITIVE_INFINITY) {
    if (size === 1) return Number.NaN
    return size > 1 === y > 0 ? Number.POSITIVE_INFINITY : 0
  }
  const isWhole = Math.trunc(y) === y
  if (x < 0 && !isWhole && size < Number.POSITIVE_INFINITY) return Number.NaN
  const isNegative = isWhole && y % 2 !== 0 && (x < 0 || Object.is(x, -0))
  return isNegative ? -powerOf(size, y) : powerOf(size, y)
}

function powerOf(x: number, y: number): number {
  if (x === 1) return 1
  if (x === 0 || x === Number.POSITIVE_INFINITY) return (x === 0) === y > 0 ? 0 : Number.POSITIVE_INFINITY
  // Any further, the power overflows or is 0 for every x but 1.
  const exponent = Math.max(-(2 ** 65), Math.min(2 ** 65, y))
  const logarithm = logInParts(x)
  const product = exponent * logarithm
  if (product > 710) return Number.POSITIVE_INFINITY
  if (product < -746) return 0
  const rest = productError(exponent, logarithm, product) + exponent * parts[1]
  const k = expInParts(product, rest)
  return scaled(parts[0] + parts[1], k)
}

/** log(x), whose rest is then in `parts[1]`: x = 2ᵏ z, z = c (1 + r). Within 2⁻⁶⁵ of it. */
function logInParts(x: number): number {
  const below = exponentOf(x)
  const k = scaledDown(x, below) > Math.SQRT2 ? below + 1 : below
  const z = scaledDown(x, k)
  const i = Math.round(64 * z)
  const c = i / 64
  const difference = z - c
  const r = difference / c
  const rHigh = upperHalf(r)
  const rLow = r - rHigh
  const rRest = (difference - rHigh * c - rLow * c) / c
  const square = 0.5 * rHigh * rHigh
  const series = 1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * (1 / 7 - r * (1 / 8 - r * (1 / 9))))))
  const first = k * ln2High + logHigh[i]
  const second = first + r
  const third = second - square
  const lost = r - (second - first) + (second - third - square)
  const rest = k * ln2Low + logLow[i] + (rRest * (1 - r) - rLow * (0.5 * rLow + rHigh)) + r * r * r * series + lost
  const sum = third + rest
  parts[1] = rest - (sum - third)
  return sum
}

/** x 2⁻ᵏ, also of subnormal numbers. */
function scaledDown(x: number, k: number): number {
  return k < -1000 ? scaled(x * 2 ** 100, -k - 100) : scaled(x, -k)
}

/** a b − product, exactly (Dekker, Numerische Mathematik 18, 1971). */
export function productError(a: number, b: number, product: number): number {
  const aHigh = upperHalf(a)
  const bHigh = upperHalf(b)
  const aLow = a - aHigh
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** The upper 26 bits (Veltkamp). */
function upperHalf(x: number): number {
  const product = 134217729 * x
  return product - (product - x)
}
