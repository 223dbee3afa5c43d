import { highWord, withHighWord } from './bits.js'
import { ln2High, ln2Low } from './constants.js'

/** Remez's approximation of (log(1 + s) − log(1 − s)) / s − 2 for |s| ≤ 0.1716: the coefficients of s², s⁴, …, s¹⁴. */
const l1 = 6.66666666666673513e-1
const l2 = 3.999999999940941908e-1
const l3 = 2.857142874366239149e-1
const l4 = 2.222219843214978396e-1
const l5 = 1.818357216161805012e-1
const l6 = 1.531383769920937332e-1
const l7 = 1.479819860511658591e-1

/** The bits of the fraction in a high word. */
const fraction = 0xfffff

/**
 * The natural logarithm: x = 2ᵏ (1 + f) with √2 / 2 < 1 + f < √2, and log(1 + f) by s = f / (2 + f): the algorithm and
 * constants of fdlibm's e_log.c (Sun Microsystems, 1993, netlib.org/fdlibm).
 */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN
  if (x === Number.POSITIVE_INFINITY) return x
  let shift = 0
  let y = x
  if (x < 2 ** -1022) {
    shift = 54
    y *= 2 ** 54
  }
  const word = highWord(y)
  const bits = word & fraction
  const carry = (bits + 0x95f64) & 0x100000
  const k = (word >> 20) - 1023 - shift + (carry >> 20)
  const f = withHighWord(y, bits | (carry ^ 0x3ff00000)) - 1
  if ((fraction & (2 + bits)) < 3) return nearOne(f, k, f * f * (0.5 - (1 / 3) * f), 0)
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const series = z * (l1 + w * (l3 + w * (l5 + w * l7))) + w * (l2 + w * (l4 + w * l6))
  if (((bits - 0x6147a) | (0x6b851 - bits)) > 0) {
    const half = 0.5 * f * f
    return k === 0 ? f - (half - s * (half + series)) : k * ln2High - (half - (s * (half + series) + k * ln2Low) - f)
  }
  return k === 0 ? f - s * (f - series) : k * ln2High - (s * (f - series) - k * ln2Low - f)
}

/** log(2ᵏ (1 + f)) + c for a tiny f, with f − log(1 + f). */
function nearOne(f: number, k: number, difference: number, c: number): number {
  if (f === 0) return k === 0 ? 0 : k * ln2High + (c + k * ln2Low)
  return k === 0 ? f - difference : k * ln2High - (difference - (k * ln2Low + c) - f)
}

/** log(1 + x), accurate near 0: the algorithm and constants of fdlibm's s_log1p.c. */
export function log1p(x: number): number {
  if (!(x > -1)) return x === -1 ? Number.NEGATIVE_INFINITY : Number.NaN
  if (x === Number.POSITIVE_INFINITY) return x
  const size = Math.abs(x)
  if (size < 2 ** -54) return x
  if (size < 2 ** -29) return x - x * x * 0.5
  const word = highWord(x)
  const isSmall = word > 0 ? word < 0x3fda827a : word <= (0xbfd2bec4 | 0)
  if (isSmall) return fromFraction(x, 0, 1, 0)
  const u = x < 2 ** 53 ? 1 + x : x
  const uWord = highWord(u)
  const exponent = (uWord >> 20) - 1023
  // What u lacks of 1 + x, as a part of u.
  const c = x < 2 ** 53 ? (exponent > 0 ? 1 - (u - x) : x - (u - 1)) / u : 0
  const bits = uWord & fraction
  if (bits < 0x6a09e) return fromFraction(withHighWord(u, bits | 0x3ff00000) - 1, exponent, bits, c)
  return fromFraction(withHighWord(u, bits | 0x3fe00000) - 1, exponent + 1, (0x100000 - bits) >> 2, c)
}

/** log(2ᵏ (1 + f)) + c; `bits` is 0 where |f| < 2⁻²⁰. */
function fromFraction(f: number, k: number, bits: number, c: number): number {
  const half = 0.5 * f * f
  if (bits === 0) return nearOne(f, k, half * (1 - (2 / 3) * f), c)
  const s = f / (2 + f)
  const z = s * s
  const series = z * (l1 + z * (l2 + z * (l3 + z * (l4 + z * (l5 + z * (l6 + z * l7))))))
  if (k === 0) return f - (half - s * (half + series))
  return k * ln2High - (half - (s * (half + series) + (k * ln2Low + c)) - f)
}
