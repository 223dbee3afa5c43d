/** The functions of this folder to 128 binary digits after the point, by series in whole numbers. */
const digits = 128n
const one = 1n << digits

/** A number: value 2^−shift. */
export interface Exact {
  readonly value: bigint
  readonly shift: bigint
}

const words = new DataView(new ArrayBuffer(8))

/** A finite number. */
function exact(x: number): Exact {
  words.setFloat64(0, x)
  const exponent = (words.getUint32(0) >>> 20) & 0x7ff
  const bits = words.getBigUint64(0) & ((1n << 52n) - 1n)
  const whole = exponent === 0 ? bits : bits | (1n << 52n)
  return { value: x < 0 ? -whole : whole, shift: BigInt(1075 - Math.max(1, exponent)) }
}

function shifted(value: bigint, places: bigint): bigint {
  return places >= 0n ? value << places : value >> -places
}

/** A finite number times 2ⁿ. */
function fixed(x: number, n: bigint): bigint {
  const { value, shift } = exact(x)
  return shifted(value, n - shift)
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
      term = ((term * x) >> digits) / ++n
      if (alternates && k === 0n) term = -term
    }
  return sum
}

/** 2 artanh(numerator / denominator). */
function logarithmOf(numerator: bigint, denominator: bigint): bigint {
  const s = ((numerator - denominator) * one) / (numerator + denominator)
  let sum = 0n
  const square = (s * s) >> digits
  for (let power = s, n = 1n; power / n !== 0n; n += 2n, power = (power * square) / one) sum += power / n
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
  return shifted(value, digits - shift)
}

function logarithm({ value, shift }: Exact): bigint {
  const length = BigInt(value.toString(2).length)
  return (length - shift) * ln2 + logarithmOf(value, 1n << length)
}

function arctangentOfInverse(x: bigint, n: bigint): bigint {
  let sum = 0n
  for (let power = (1n << n) / x, k = 1n; power !== 0n; k += 2n, power = -power / (x * x)) sum += power / k
  return sum
}

const many = 1500n
const quarter = 2n * (4n * arctangentOfInverse(5n, many) - arctangentOfInverse(239n, many))

/** sin(x + quarters π / 2), of x with many digits. */
function sineOf(turned: bigint, quarters: bigint): Exact {
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
  log: (x) => plain(logarithm(exact(x))),
  log1p(x) {
    const { value, shift } = exact(x)
    return plain(logarithm(shift < 0n ? exact(x) : { value: value + (1n << shift), shift }))
  },
  sin: (x) => sineOf(fixed(x, many), 0n),
  cos: (x) => sineOf(fixed(x, many), 1n),
  cosOfTurns(x) {
    const turned = (fixed(x, many) * 4n * quarter) >> many
    return sineOf(turned, 1n)
  },
  tanh(x) {
    const power = plainExponential(2n * fixed(x, digits))
    return plain(((power - one) * one) / (power + one))
  },
  pow: (x, y) => exponential((logarithm(exact(x)) * fixed(y, digits)) / one),
  hypot(x, y) {
    const shift = exact(x).shift + 80n
    return { value: root(fixed(x, shift) ** 2n + fixed(y, shift) ** 2n), shift }
  }
}

/** How far a number is from the exact one, in ulps: distances between the numbers there. */
export function ulps(found: number, { value, shift }: Exact): number {
  const near = exact(found)
  const difference = (near.value << 64n) - shifted(value, near.shift + 64n - shift)
  return Math.abs(Number(difference)) / 2 ** 64
}
