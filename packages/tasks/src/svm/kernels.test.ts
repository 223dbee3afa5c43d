import test from 'ava'
import { exponentialOf } from './exponential.js'
import { KernelFunction, kernelSchema, type KernelOptions, squaresOf } from './kernels.js'

test('the exponential is that of the language within its last bits, with its own bits everywhere', (t) => {
  for (let i = 0; i < 20_000; i++) {
    const x = -(i ** 2) / 6e5
    t.true(Math.abs(exponentialOf(x) / Math.exp(x) - 1) < 1e-15, `${x}`)
  }
  t.deepEqual([0, -0, -746, -Infinity].map(exponentialOf), [1, 1, 0, 0])
  t.is(exponentialOf(Number.NaN), Number.NaN)
  t.is(exponentialOf(-744), 1e-323)
  // By these operations on any machine.
  t.is(exponentialOf(-1), 0.36787944117144233)
  t.is(exponentialOf(-Math.LN2 / 128), 0.9945994234836331)
})

const points = Array.from({ length: 7 }, (_, k) => Float32Array.from({ length: 5 }, (_, i) => Math.sin(3 * k + i) * 2))

function rowOf(options: KernelOptions, index: number): Float64Array {
  const squares = squaresOf(points)
  const out = new Float64Array(points.length)
  new KernelFunction(options).row(points[index], squares[index], points, squares, out)
  return out
}

for (const [name, options, expected] of [
  ['linear', 'linear', (product: number) => product],
  ['RBF', { rbf: { gamma: 0.3 } }, (product: number, a: number, b: number) => Math.exp(-0.3 * (a + b - 2 * product))],
  ['polynomial', { polynomial: { degree: 3, gamma: 0.5, coef0: 1 } }, (product: number) => (0.5 * product + 1) ** 3]
] as const)
  test(`a ${name} kernel is what its formula says, with the same bits from both sides`, (t) => {
    const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i], 0)
    for (const [i, a] of points.entries())
      for (const [j, b] of points.entries()) {
        const found = rowOf(options, i)[j]
        t.true(Math.abs(found - expected(product(a, b), product(a, a), product(b, b))) < 1e-12)
        t.is(found, rowOf(options, j)[i])
      }
  })

test('a kernel needs a positive gamma', (t) => {
  for (const gamma of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    t.false(kernelSchema.safeParse({ rbf: { gamma } }).success, `${gamma}`)
  t.deepEqual(kernelSchema.parse({ polynomial: { gamma: 1 } }), { polynomial: { degree: 3, gamma: 1, coef0: 0 } })
})
