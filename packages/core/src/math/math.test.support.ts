/** The functions of this folder to 256 binary digits after the point, by series in whole numbers. */
const digits = 256n
const one = 1n << digits

/** A number: value 2^−shift. */
export interface Exact {
  readonly value: bigint
  readonly shift: bigint
}

const words = new DataView(new ArrayBuffer(8))

/** A finite number, exactly, times 2ⁿ; n at least 1074 for every number. */
function fixed(x: number, n: bigint): bigint {
  words.setFloat64(0, x)
  const exponent = BigInt((words.getUint32(0) >>> 20) & 0x7ff)
  const bits = words.getBigUint64(0) & ((1n << 52n) - 1n)
  const whole = exponent === 0n ? bits : bits | (1n << 52n)
  const power = (exponent === 0n ? 1n : exponent) - 1075n + n
  const size = power >= 0n ? whole << power : whole >> -power
  return x < 0 ? -size : size
}

function rounded(numerator: bigint, denominator: bigint): bigint {
  const twice = 2n * numerator + denominator
  const quotient = twice / (2n * denominator)
  return twice < 0n && twice % (2n * denominator) !== 0n ? quotient - 1n : quotient
}

/** Σ xⁿ / n! over every `stride`-th n from `first` on, with a sign that alternates where asked. */
function factorials(x: bigint, first: bigint, stride: bigint, alternates: boolean): bigint {
  let term = first === 1n ? x : one
  let sum = term
  for (let n = first; term !== 0n; sum += term)
    for (let k = 0n; k < stride; k++) {
      term = (term * x) / one / ++n
      if (alternates && k === 0n) term = -term
    }
  return sum
}

/** 2 artanh(numerator / denominator). */
function logarithmOf(numerator: bigint, denominator: bigint): bigint {
  const s = ((numerator - denominator) * one) / (numerator + denominator)
  let sum = 0n
  for (let power = s, n = 1n; power !== 0n; n += 2n, power = (power * s * s) / (one * one)) sum += power / n
  return 2n * sum
}

const ln2 = logarithmOf(2n, 1n)

function exponential(x: bigint): Exact {
  const k = rounded(x, ln2)
  return { value: factorials(x - k * ln2, 0n, 1n, false), shift: digits - k }
}

/** eˣ with `digits` after the point, for x that are not too large. */
function plainExponential(x: bigint): bigint {
  const { value, shift } = exponential(x)
  return shift <= digits ? value << (digits - shift) : value >> (shift - digits)
}

/** log(x 2^−n). */
function logarithm(x: bigint, n: bigint): bigint {
  const length = BigInt(x.toString(2).length)
  return (length - n) * ln2 + logarithmOf(x, 1n << length)
}

function arctangentOfInverse(x: bigint, n: bigint): bigint {
  let sum = 0n
  for (let power = (1n << n) / x, k = 1n; power !== 0n; k += 2n, power = -power / (x * x)) sum += power / k
  return sum
}

const many = 1500n
const quarter = 2n * (4n * arctangentOfInverse(5n, many) - arctangentOfInverse(239n, many))

/** sin(x + quarters π / 2). */
function sine(x: number, quarters: bigint): Exact {
  const turned = fixed(x, many)
  const k = rounded(turned, quarter)
  const r = (turned - k * quarter) >> (many - digits)
  const place = (((k + quarters) % 4n) + 4n) % 4n
  const value = place % 2n === 0n ? factorials(r, 1n, 2n, true) : factorials(r, 0n, 2n, true)
  return { value: place < 2n ? value : -value, shift: digits }
}

function root(x: bigint): bigint {
  let guess = 1n << BigInt((x.toString(2).length / 2 + 1) | 0)
  for (let next = (guess + x / guess) / 2n; next < guess; next = (guess + x / guess) / 2n) guess = next
  return guess
}

const plain = (value: bigint): Exact => ({ value, shift: digits })

/** By the names of the functions. */
export const exactly: Readonly<Record<string, (x: number, y: number) => Exact>> = {
  exp: (x) => exponential(fixed(x, digits)),
  expOfNegative: (x) => exponential(fixed(x, digits)),
  expm1: (x) => plain(plainExponential(fixed(x, digits)) - one),
  log: (x) => plain(logarithm(fixed(x, 1074n), 1074n)),
  log1p: (x) => plain(logarithm(fixed(x, 1074n) + (1n << 1074n), 1074n)),
  sin: (x) => sine(x, 0n),
  cos: (x) => sine(x, 1n),
  tanh(x) {
    const power = plainExponential(2n * fixed(x, digits))
    return plain(((power - one) * one) / (power + one))
  },
  pow: (x, y) => exponential((logarithm(fixed(x, 1074n), 1074n) * fixed(y, digits)) / one),
  hypot: (x, y) => ({ value: root(fixed(x, 1300n) ** 2n + fixed(y, 1300n) ** 2n), shift: 1300n })
}

/** How far a number is from the exact one, in ulps: distances between the numbers there. */
export function ulps(found: number, { value, shift }: Exact): number {
  words.setFloat64(0, found)
  const exponent = BigInt(Math.max(1, (words.getUint32(0) >>> 20) & 0x7ff)) - 1075n
  const scale = (shift > 1100n ? shift : 1100n) + 64n
  const difference = fixed(found, scale) - (value << (scale - shift))
  return Math.abs(Number((difference << 40n) >> (exponent + scale))) / 2 ** 40
}
