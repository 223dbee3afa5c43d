/** Access to the bits of float64. The first of the two 32-bit words is the low one: typed arrays follow the machine. */
const number = new Float64Array(1)
const words = new Int32Array(number.buffer)
const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1
const high = isLittleEndian ? 1 : 0

/** Sign, exponent and the first 20 bits of the fraction, as a signed 32-bit integer. */
export function highWord(x: number): number {
  number[0] = x
  return words[high]
}

/** x with another high word. */
export function withHighWord(x: number, word: number): number {
  number[0] = x
  words[high] = word
  return number[0]
}

/** 2ᵏ for −538 ≤ k ≤ 538, each from its neighbour: exactly, and in little time whenever a program starts. */
const powers = new Float64Array(2 * 538 + 1).fill(1)
for (let k = 1; k <= 538; k++) {
  powers[538 + k] = 2 * powers[538 + k - 1]
  powers[538 - k] = powers[538 - k + 1] / 2
}

/** y 2ᵏ for −1076 ≤ k ≤ 1076 and y near 1: far from 1 in two steps, of which the second alone rounds. */
export function scaled(y: number, k: number): number {
  if (k >= -538 && k <= 538) return y * powers[538 + k]
  const half = k >> 1
  return y * powers[538 + half] * powers[538 + k - half]
}

/** ⌊log₂ |x|⌋, exactly: −∞ of 0, and NaN of NaN. */
export function exponentOf(x: number): number {
  const exponent = (highWord(x) >> 20) & 0x7ff
  if (exponent === 0x7ff) return Math.abs(x)
  if (exponent > 0) return exponent - 1023
  return x === 0 ? Number.NEGATIVE_INFINITY : exponentOf(x * 2 ** 54) - 54
}
