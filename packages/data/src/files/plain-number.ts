/** Powers of ten that are exact, up to the most digits of which every number is. */
const maxDigits = 15
const powers = Float64Array.from({ length: maxDigits + 1 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * The number that the bytes from `start` to `end` write with digits alone, a point and a minus; NaN for any other text,
 * also for a number that is written in another way.
 */
export function plainNumber(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d
  let value = 0
  let digits = 0
  let decimals = -1
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = bytes[at] - 0x30
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digits++
      if (decimals >= 0) decimals++
    } else if (bytes[at] === 0x2e && decimals < 0) decimals = 0
    else return Number.NaN
  }
  if (digits === 0 || digits > maxDigits) return Number.NaN
  // Both are exact, so that the quotient is the nearest number to what is written.
  if (decimals > 0) value /= powers[decimals]
  return isNegative ? -value : value
}
