/** The terms of the Taylor series of exp. */
const terms = [1]
for (let n = 1; n <= 13; n++) terms.push(terms[n - 1] / n)

/** A step of the table, ln(2) / 64, in two parts: products of the first with whole numbers up to 2¹⁸ are exact. */
const stepHigh = 0.010830424695996044
const stepLow = 2.5310172166650877e-13
const steps = 1 << 6

/** 2^(−j/64). */
const fractions = Float64Array.from({ length: steps }, (_, j) => taylor((-j * Math.LN2) / steps))

/** The logarithm of half of the smallest number. */
const least = -745.14

/** 2⁻ⁿ, down to the smallest number. */
const powers = new Float64Array(1075)
powers[0] = 1
for (let n = 1; n < powers.length; n++) powers[n] = powers[n - 1] / 2

/**
 * exp(x) of a number that is not above 0, by +, −, × and ÷ alone, so that its bits are the same on every machine: the
 * language leaves the last bits of `Math.exp` to the engine. Within a relative 1e-15; 0 below −745.
 */
export function exponentialOf(x: number): number {
  if (!(x > least)) return Number.isNaN(x) ? x : 0
  const n = Math.trunc(0.5 - x * (steps / Math.LN2))
  const r = x + n * stepHigh + n * stepLow
  const square = r * r
  const series = 1 + r + square * (1 / 2 + r * (1 / 6) + square * (1 / 24 + r * (1 / 120)))
  return series * (fractions[n & (steps - 1)] * powers[n >> 6])
}

/** exp(x) by its Taylor series, for −ln(2) < x ≤ 0. */
function taylor(x: number): number {
  let sum = terms[13]
  for (let term = 12; term >= 0; term--) sum = sum * (x / 2) + terms[term]
  return sum * sum
}
