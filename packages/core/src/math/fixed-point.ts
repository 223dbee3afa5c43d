/** Numbers of many digits for tables: whole multiples of 2⁻ⁿ, n being {@link digits}. */
export const digits = 160n
const one = 1n << digits

/** The nearest number, and what it lacks; with fewer `bits` after the point for the first where they are given. */
export function inParts(value: bigint, bits?: bigint): readonly [high: number, low: number] {
  const high = bits === undefined ? toNumber(value) : toNumber((value >> (digits - bits)) << (digits - bits))
  return [high, toNumber(value - (BigInt(high * 2 ** 100) << (digits - 100n)))]
}

function toNumber(value: bigint): number {
  return Number(value) / 2 ** 160
}

/** exp(x) by its series, for |x| ≤ 1. */
export function exponentialSeries(x: bigint): bigint {
  let term = one
  let sum = one
  for (let n = 1n; term !== 0n; n++) sum += term = (term * x) / (n * one)
  return sum
}

/** log(numerator / denominator) = 2 artanh((numerator − denominator) / (numerator + denominator)), by its series. */
export function logarithmSeries(numerator: number, denominator: number): bigint {
  const s = (BigInt(numerator - denominator) * one) / BigInt(numerator + denominator)
  const square = (s * s) / one
  let sum = 0n
  for (let power = s, n = 1n; power !== 0n; n += 2n, power = (power * square) / one) sum += power / n
  return 2n * sum
}
