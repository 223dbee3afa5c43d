import { scaled } from './bits.js'
import { ln2High, ln2Low } from './constants.js'

/** The largest number whose exponential is finite, and the smallest whose exponential is not 0. */
const largest = 709.782712893384
const smallest = -745.1332191019411

/** Remez's approximation of r (e^r + 1) / (e^r − 1) − 2 for |r| ≤ ln(2) / 2: the coefficients of r², r⁴, …, r¹⁰. */
const p1 = 1.66666666666666019037e-1
const p2 = -2.77777777770155933842e-3
const p3 = 6.61375632143793436117e-5
const p4 = -1.6533902205465251539e-6
const p5 = 4.13813679705723846039e-8

/**
 * eˣ = 2ᵏ e^r with |r| ≤ ln(2) / 2, and e^r = 1 + r + r c / (2 − c): the algorithm and constants of fdlibm's e_exp.c
 * (Sun Microsystems, 1993, netlib.org/fdlibm).
 */
export function exp(x: number): number {
  if (!(x >= smallest)) return Number.isNaN(x) ? x : 0
  if (x > largest) return Number.POSITIVE_INFINITY
  // By the steps below it would be the number before.
  if (x === 1) return Math.E
  const size = Math.abs(x)
  if (size < 2 ** -28) return 1 + x
  if (size <= Math.LN2 / 2) {
    const c = reduced(x)
    return 1 - ((x * c) / (c - 2) - x)
  }
  const k = nearestPower(x)
  const high = x - k * ln2High
  const low = k * ln2Low
  const r = high - low
  const c = reduced(r)
  return scaled(1 - (low - (r * c) / (2 - c) - high), k)
}

function reduced(r: number): number {
  const t = r * r
  return r - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))))
}

/** The k for which x − k ln(2) is nearest to 0. */
function nearestPower(x: number): number {
  return Math.trunc(x * Math.LOG2E + (x < 0 ? -0.5 : 0.5))
}

/** Remez's approximation of 6 / r (1 + 2 (1 / (e^r − 1) − 1 / r)) for |r| ≤ ln(2) / 2, in r² / 2. */
const q1 = -3.33333333333331316428e-2
const q2 = 1.58730158725481460165e-3
const q3 = -7.93650757867487942473e-5
const q4 = 4.00821782732936239552e-6
const q5 = -2.01099218183624371326e-7

/** From here on down eˣ − 1 is −1. */
const lowest = -56 * Math.LN2

/** eˣ − 1, accurate near 0: the algorithm and constants of fdlibm's s_expm1.c. */
export function expm1(x: number): number {
  if (x > largest) return Number.POSITIVE_INFINITY
  if (x <= lowest) return -1
  const size = Math.abs(x)
  if (!(size >= 2 ** -54)) return x
  const k = size <= Math.LN2 / 2 ? 0 : size < 1.5 * Math.LN2 ? Math.sign(x) : nearestPower(x)
  const high = x - k * ln2High
  const low = k * ln2Low
  const r = high - low
  const half = 0.5 * r
  const square = r * half
  const series = 1 + square * (q1 + square * (q2 + square * (q3 + square * (q4 + square * q5))))
  const t = 3 - series * half
  const e = square * ((series - t) / (6 - r * t))
  if (k === 0) return r - (r * e - square)
  // What r lacks of x − k ln(2).
  const rest = high - r - low
  return scaledLessOne(r, r * (e - rest) - rest - square, k)
}

/** 2ᵏ (1 + r − e) − 1, in an order in which little is lost. */
function scaledLessOne(r: number, e: number, k: number): number {
  if (k === -1) return 0.5 * (r - e) - 0.5
  if (k === 1) return r < -0.25 ? -2 * (e - (r + 0.5)) : 1 + 2 * (r - e)
  if (k <= -2 || k > 56) return scaled(1 - (e - r), k) - 1
  const one = scaled(1, -k)
  return k < 20 ? scaled(1 - one - (e - r), k) : scaled(r - (e + one) + 1, k)
}
