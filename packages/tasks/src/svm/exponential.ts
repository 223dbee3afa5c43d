/** The terms of the Taylor series of exp; with fourteen the error up to ln(2) / 2 is below 1e-17. */
const terms = [1]
for (let n = 1; n <= 13; n++) terms.push(terms[n - 1] / n)

/** ln 2 in two parts, of which the first has 32 bits: products with whole numbers up to 2²¹ are exact. */
const ln2High = 0.6931471803691238
const ln2Low = 1.9082149292705877e-10

/** 2⁻ⁿ, down to the smallest number. */
const powers = new Float64Array(1075)
powers[0] = 1
for (let n = 1; n < powers.length; n++) powers[n] = powers[n - 1] / 2

/**
 * exp(x) of a number that is not above 0, by +, −, × and ÷ alone, so that its bits are the same on every machine: the
 * language leaves the last bits of `Math.exp` to the engine. Within a relative 4e-16; 0 below −745.
 */
export function exponentialOf(x: number): number {
  const n = Math.floor(0.5 - x / Math.LN2)
  if (!(n < powers.length)) return Number.isNaN(x) ? x : 0
  const rest = x + n * ln2High + n * ln2Low
  let sum = terms[13]
  for (let term = 12; term >= 0; term--) sum = sum * rest + terms[term]
  return sum * powers[n]
}
