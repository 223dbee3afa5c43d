import test from 'ava'
import * as math from './index.js'
import { exactly, ulps } from './math.test.support.js'

/** A generator for tests: mulberry32. */
function uniformFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const functions: Readonly<Record<string, (x: number, y: number) => number>> = math

/**
 * For each function: ranges that arguments are drawn from, evenly or, where the limits are positive, evenly in their
 * logarithms; and the largest error of 10⁶ arguments in ulps, as measured by `ULPS=1000000 npx ava` with this file.
 */
const cases: Readonly<Record<string, readonly [most: number, ...ranges: (readonly [number, number])[]]>> = {
  exp: [0.86, [-745, 709], [-1, 1], [1e-12, 1]],
  expOfNegative: [0.82, [-708, 0], [-1, 0]],
  expm1: [0.81, [-40, 60], [-1, 1], [1e-12, 1]],
  log: [0.86, [1e-300, 1e300], [0.5, 2], [0.999, 1.001]],
  log1p: [0.8, [-0.999, 1], [1e-12, 1e12]],
  sin: [0.82, [-10, 10], [1e-6, 1e300], [-1e6, 1e6]],
  cos: [0.83, [-10, 10], [1e-6, 1e300], [-1e6, 1e6]],
  cosOfTurns: [0.84, [-1, 1], [1e-6, 1e9]],
  tanh: [0.57, [-1, 1], [1e-9, 22]],
  pow: [0.57, [1e-12, 1e12], [0.5, 2], [0.99, 1.01]],
  hypot: [0.85, [1e-150, 1e150], [-1, 1]]
}

const count = Number(process.env.ULPS ?? 400)

for (const [name, [most, ...ranges]] of Object.entries(cases)) {
  test(`${name} is at most ${most} ulps from the exact number`, (t) => {
    if (count > 400) t.timeout(3_600_000)
    const uniform = uniformFrom(1)
    const drawn = ([low, high]: readonly [number, number]) => {
      const part = uniform()
      if (low <= 0) return low + part * (high - low)
      const root = Math.exp((part * (Math.log(high) - Math.log(low))) / 2)
      return low * root * root
    }
    let largest = 0
    let nearest = 0
    let farthest = ''
    for (let n = 0; n < count; n++) {
      const x = drawn(ranges[n % ranges.length])
      // Powers up to e^±700.
      const y = name === 'hypot' ? x * (0.1 + 3 * uniform()) : (1400 * uniform() - 700) / Math.log(x)
      const error = ulps(functions[name](x, y), exactly[name](x, y))
      if (error <= 0.5) nearest++
      if (error > largest) farthest = `${name}(${x}, ${y})`
      largest = Math.max(largest, error)
    }
    t.log(`${largest.toFixed(3)} ulps, the nearest number in ${((100 * nearest) / count).toFixed(2)} %`)
    t.true(largest <= most, farthest)
  })
}

const { cos, exp, expm1, exponentOf, expOfNegative, hypot, log, log1p, pow, sin, tanh } = math
const infinite = Number.POSITIVE_INFINITY

test('at their edges the functions are those of the language', (t) => {
  const edges = [0, 1, 2, 0.5, 3, 5e-324, 1e-310, 2 ** -1022, 2 ** -54, 2 ** -28, 22, 53, 709, 746, 2 ** 60, infinite]
  const both = [...edges, ...edges.map((x) => -x), Number.NaN, Number.MAX_VALUE, -Number.MAX_VALUE]
  const near = (found: number, expected: number) =>
    Object.is(found, expected) ||
    (expected !== 0 && Math.abs(found - expected) <= Math.max(5e-324, 4e-16 * Math.abs(expected)))
  for (const x of both) {
    for (const [name, own] of Object.entries({ exp, expm1, log, log1p, sin, cos, tanh }))
      t.true(near(own(x), Math[name as 'exp'](x)), `${name}(${x}) is ${own(x)}`)
    if (x <= 0) t.true(near(expOfNegative(x), Math.exp(x)), `expOfNegative(${x})`)
    for (const y of both) {
      t.true(near(pow(x, y), x ** y), `pow(${x}, ${y}) is ${pow(x, y)}`)
      t.true(near(hypot(x, y), Math.hypot(x, y)), `hypot(${x}, ${y}) is ${hypot(x, y)}`)
    }
  }
  t.deepEqual([hypot(), hypot(0, -0), hypot(Number.NaN, -infinite), hypot(-3, 4)], [0, 0, infinite, 5])
  t.is(expOfNegative(Number.NaN), Number.NaN)
})

test('the largest and smallest numbers that have an exponential are followed by infinity and 0', (t) => {
  t.true(exp(709.782712893384) < infinite)
  t.is(exp(709.7827128933841), infinite)
  t.is(exp(-745.1332191019411), 5e-324)
  t.is(exp(-745.1332191019412), 0)
  t.is(exp(1), Math.E)
  t.is(expOfNegative(-745.13), 5e-324)
  t.is(expm1(709.7827128933841), infinite)
  t.deepEqual([pow(2, 1024), pow(2, -1074), pow(2, -1076), pow(-2, -1077)], [infinite, 5e-324, 0, -0])
  t.deepEqual([pow(2 ** -1074, -1), pow(2 ** -1074, 0.5), pow(5e-324, 1)], [infinite, 2 ** -537, 5e-324])
  t.deepEqual([pow(1 - 2 ** -53, 1e300), pow(1 - 2 ** -53, -1e300)], [0, infinite])
})

test('a power that is a number is that number', (t) => {
  for (let base = 1; base <= 50; base++)
    for (let exponent = 0, exact = 1; exact < 2 ** 53; exponent++, exact *= base) {
      t.is(pow(base, exponent), exact)
      t.is(pow(-base, exponent), exponent % 2 === 0 ? exact : -exact)
      if (base === 1 && exponent > 5) break
    }
  for (let root = 1; root < 5000; root++) t.is(pow(root * root, 0.5), root)
  t.deepEqual([pow(-8, 1 / 3), pow(-1, 2 ** 53)], [Number.NaN, 1])
})

test('the exponent of a number is that of its power of two, exactly', (t) => {
  for (let k = -1074; k < 1024; k++) {
    t.is(exponentOf(2 ** k), k)
    if (k > -1022) t.is(exponentOf(-(2 ** k) * (1 - 2 ** -53)), k - 1)
  }
  t.deepEqual([0, infinite, Number.NaN, -3].map(exponentOf), [-infinite, infinite, Number.NaN, 1])
  // The logarithm of the language is 3 already below 8.
  t.deepEqual([exponentOf(8 - 2 ** -50), Math.floor(Math.log2(8 - 2 ** -50))], [2, 3])
})
