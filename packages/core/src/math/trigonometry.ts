import { exponentOf, highWord, withHighWord } from './bits.js'
import { productError } from './power.js'

/** Remez's approximations for |x| ≤ π / 4: of sin(x) / x − 1 in x², and of cos(x) − 1 + x² / 2 in x² after x⁴. */
const s1 = -1.66666666666666324348e-1
const s2 = 8.33333333332248946124e-3
const s3 = -1.98412698298579493134e-4
const s4 = 2.75573137070700676789e-6
const s5 = -2.50507602534068634195e-8
const s6 = 1.58969099521155010221e-10
const c1 = 4.16666666666666019037e-2
const c2 = -1.38888888888741095749e-3
const c3 = 2.48015872894767294178e-5
const c4 = -2.75573143513906633035e-7
const c5 = 2.0875723212981748279e-9
const c6 = -1.13596475577881948265e-11

/** π / 2 in four parts: products of the first three, of 33 bits, with whole numbers below 2²⁰ are exact. */
const quarter1 = 1.57079632673412561417
const quarter2 = 6.0771005063039659766e-11
const quarter3 = 2.0222662487111664558e-21
const quarter4 = 8.47842766036889956997e-32
/** What the first part, and the first two parts, lack of π / 2. */
const rest1 = 6.07710050650619224932e-11
const rest2 = 2.02226624879595063154e-21

/** sin(x), x in radians: the algorithm and constants of fdlibm's s_sin.c (Sun Microsystems, 1993, netlib.org). */
export function sin(x: number): number {
  if (Math.abs(x) <= Math.PI / 4) return sineNear(x, 0)
  if (!Number.isFinite(x)) return Number.NaN
  const { quarters, r, rest } = reduced(x)
  const value = quarters % 2 === 0 ? sineNear(r, rest) : cosineNear(r, rest)
  return (quarters & 2) === 0 ? value : -value
}

/** cos(x), x in radians: the algorithm and constants of fdlibm's s_cos.c. */
export function cos(x: number): number {
  if (Math.abs(x) <= Math.PI / 4) return cosineNear(x, 0)
  if (!Number.isFinite(x)) return Number.NaN
  const { quarters, r, rest } = reduced(x)
  const value = quarters % 2 === 0 ? cosineNear(r, rest) : sineNear(r, rest)
  return ((quarters + 1) & 2) === 0 ? value : -value
}

/** 2π, and what the number lacks of it. */
const turn = 2 * Math.PI
const turnRest = 2.4492935982947064e-16

/** cos(2π t): t is reduced exactly, and so is its distance to the nearest quarter. */
export function cosOfTurns(t: number): number {
  const fraction = Math.abs(t - Math.round(t))
  const isFar = fraction > 0.25
  const near = isFar ? 0.5 - fraction : fraction
  const value = near > 0.125 ? sineOfTurns(0.25 - near) : cosineOfTurns(near)
  return isFar ? -value : value
}

function sineOfTurns(t: number): number {
  const x = turn * t
  return sineNear(x, productError(turn, t, x) + turnRest * t)
}

function cosineOfTurns(t: number): number {
  const x = turn * t
  return cosineNear(x, productError(turn, t, x) + turnRest * t)
}

/** sin(x + rest) for |x| ≤ π / 4. */
function sineNear(x: number, rest: number): number {
  if (Math.abs(x) < 2 ** -27) return x
  const z = x * x
  const cube = z * x
  const series = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)))
  if (rest === 0) return x + cube * (s1 + z * series)
  return x - (z * (0.5 * rest - cube * series) - rest - cube * s1)
}

/** cos(x + rest) for |x| ≤ π / 4. */
function cosineNear(x: number, rest: number): number {
  const size = Math.abs(x)
  if (size < 2 ** -27) return 1
  const z = x * x
  const series = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))))
  const word = highWord(size)
  if (word < 0x3fd33333) return 1 - (0.5 * z - (z * series - x * rest))
  // About x / 4, of so few bits that 1 minus it is exact.
  const near = word > 0x3fe90000 ? 0.28125 : withHighWord(0, word - 0x200000)
  return 1 - near - (0.5 * z - near - (z * series - x * rest))
}

/** x as a multiple of π / 2, modulo 4, and what is left, in two parts. */
interface Reduced {
  readonly quarters: number
  readonly r: number
  readonly rest: number
}

function reduced(x: number): Reduced {
  const { quarters, r, rest } = Math.abs(x) < 2 ** 19 * (Math.PI / 2) ? byParts(Math.abs(x)) : byDigits(Math.abs(x))
  return x < 0 ? { quarters: (4 - quarters) & 3, r: -r, rest: -rest } : { quarters: quarters & 3, r, rest }
}

/** Subtracts multiples of π / 2 of as many bits as x and the multiple have in common (Cody and Waite). */
function byParts(x: number): Reduced {
  const n = Math.trunc(x * (2 / Math.PI) + 0.5)
  const exponent = exponentOf(x)
  let t = x - n * quarter1
  let w = n * rest1
  let r = t - w
  for (const [part, rest, lost] of [
    [quarter2, rest2, 16],
    [quarter3, quarter4, 49]
  ] as const) {
    if (exponent - exponentOf(r) <= lost) break
    const before = t
    t = before - n * part
    w = n * rest - (before - t - n * part)
    r = t - w
  }
  return { quarters: n, r, rest: t - r - w }
}

/** The binary digits of π / 2 after the point: x has up to 1024 before it, and comes as near as 2⁻⁶² to a multiple. */
const digits = 1200n
/** Those of what is left that are used. */
const kept = 170n
let quarterTurn: bigint | undefined

/** For large numbers: divides by π / 2 of many digits. */
function byDigits(x: number): Reduced {
  quarterTurn ??= 2n * (4n * inverseTangent(5n) - inverseTangent(239n))
  const exact = x < 2 ** 53 ? BigInt(x * 2 ** 40) << (digits - 40n) : BigInt(x) << digits
  const n = (2n * exact + quarterTurn) / (2n * quarterTurn)
  const left = (exact - n * quarterTurn) >> (digits - kept)
  const r = Number(left) / 2 ** 170
  return { quarters: Number(n & 3n), r, rest: Number(left - BigInt(r * 2 ** 170)) / 2 ** 170 }
}

/** arctan(1 / x), with {@link digits}, by its series. Machin: π / 4 = 4 arctan(1 / 5) − arctan(1 / 239). */
function inverseTangent(x: bigint): bigint {
  let power = (1n << (digits + 32n)) / x
  let sum = 0n
  for (let n = 1n; power !== 0n; n += 2n, power /= -x * x) sum += power / n
  return sum >> 32n
}
