import test from 'ava'
import fc from 'fast-check'
import {
  allFinite,
  axpy,
  consensusDistance,
  distance,
  dot,
  isShorter,
  mean,
  norm,
  scale,
  weightedSum
} from './arithmetic.js'

const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 })
const vectors = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5000 })).chain(([count, length]) =>
  fc.array(fc.float32Array({ minLength: length, maxLength: length, noNaN: true, min: -1000, max: 1000 }), {
    minLength: count,
    maxLength: count
  })
)

test('a weighted sum is the float64 sum, rounded once', (t) => {
  fc.assert(
    fc.property(vectors, fc.array(float, { minLength: 5, maxLength: 5 }), (xs, weights) => {
      const terms = xs.map((vector, index) => ({ weight: weights[index], vector }))
      const sum = weightedSum(new Float32Array(xs[0].length), terms)
      for (let i = 0; i < sum.length; i++) {
        const exact = terms.reduce((total, { weight, vector }) => total + weight * vector[i], 0)
        if (!Object.is(sum[i] + 0, Math.fround(exact) + 0)) return false
      }
      return true
    }),
    { numRuns: 50 }
  )
  t.pass()
})

test('a weighted sum may be written over one of its terms', (t) => {
  const x = Float32Array.of(1, 2, 3)
  const y = Float32Array.of(5, 6, 7)
  weightedSum(x, [
    { weight: 0.5, vector: x },
    { weight: 0.5, vector: y }
  ])
  t.deepEqual([...x], [3, 4, 5])
})

test('vectors of different lengths are never combined', (t) => {
  const x = new Float32Array(2)
  const y = new Float32Array(3)
  t.throws(() => axpy(x, 1, y), { name: 'InvariantError', message: /2 and 3 elements/ })
  t.throws(() => weightedSum(x, [{ weight: 1, vector: y }]), { name: 'InvariantError' })
  t.throws(() => distance(x, y), { name: 'InvariantError' })
})

test('axpy, scale, dot, norm and distance are what they are called', (t) => {
  const x = Float32Array.of(3, 4)
  t.is(norm(x), 5)
  t.is(dot(x, Float32Array.of(1, 2)), 11)
  t.is(distance(x, Float32Array.of(0, 0)), 5)
  t.deepEqual([...axpy(Float32Array.of(1, 1), 2, x)], [7, 9])
  t.deepEqual([...scale(Float32Array.of(1, -2), 0.5)], [0.5, -1])
})

test('the consensus distance of 0 and 8 is 4, and nothing when all agree', (t) => {
  t.is(consensusDistance([Float32Array.of(0), Float32Array.of(8)]), 4)
  t.is(consensusDistance([Float32Array.of(1, 2), Float32Array.of(1, 2)]), 0)
  t.deepEqual([...mean([Float32Array.of(0), Float32Array.of(8)])], [4])
})

test('one NaN or infinity anywhere is found', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(), fc.constantFrom(NaN, Infinity, -Infinity), (n, at, bad) => {
      const x = new Float32Array(n).fill(3e38)
      if (!allFinite(x)) return false
      x[at % n] = bad
      return !allFinite(x)
    })
  )
  t.true(allFinite(new Float32Array(0)))
})

test('a vector is shorter than a limit if its norm is, whatever its length; with NaN or infinity it never is', (t) => {
  const limits = fc.double({ min: -30, max: 40 }).map((power) => 10 ** power)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9000 }),
      fc.nat(),
      fc.float({ noNaN: true }),
      limits,
      (n, at, value, limit) => {
        const x = Float32Array.from({ length: n }, (_, i) => Math.sin(i))
        x[at % n] = value
        t.is(isShorter(x, limit), norm(x) < limit)
        x[at % n] = Number.NaN
        t.false(isShorter(x, 1e300))
      }
    )
  )
  t.true(isShorter(new Float32Array(0), 1))
})
