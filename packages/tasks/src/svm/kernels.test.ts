import test from 'ava'
import { KernelFunction, kernelSchema, type KernelOptions, pointsFrom } from './kernels.js'

const points = Array.from({ length: 70 }, (_, k) => Float32Array.from({ length: 5 }, (_, i) => Math.sin(3 * k + i) * 2))

function tableOf(options: KernelOptions): Float64Array {
  const out = new Float64Array(points.length ** 2)
  new KernelFunction(options).table(pointsFrom(points), pointsFrom(points), out)
  return out
}

for (const [name, options, expected] of [
  ['linear', 'linear', (product: number) => product],
  ['RBF', { rbf: { gamma: 0.3 } }, (product: number, a: number, b: number) => Math.exp(-0.3 * (a + b - 2 * product))],
  ['polynomial', { polynomial: { degree: 3, gamma: 0.5, coef0: 1 } }, (product: number) => (0.5 * product + 1) ** 3]
] as const)
  test(`a ${name} kernel is what its formula says, with the same bits from both sides`, (t) => {
    const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i], 0)
    const table = tableOf(options)
    for (const [i, a] of points.entries())
      for (const [j, b] of points.entries()) {
        const found = table[i * points.length + j]
        t.true(Math.abs(found - expected(product(a, b), product(a, a), product(b, b))) < 1e-10)
        t.is(found, table[j * points.length + i])
      }
  })

test('sums over a kernel are those of its values in order, at the places given; a factor 0 is left out', (t) => {
  const options = { rbf: { gamma: 0.3 } }
  const table = tableOf(options)
  const factors = Float64Array.from(points, (_, i) => (i % 3) - 1)
  const places = points.map((_, j) => points.length - 1 - j)
  const sums = new Float64Array(points.length).fill(0.5)
  new KernelFunction(options).accumulate(pointsFrom(points), factors, pointsFrom(points), sums, places)
  for (const j of points.keys()) {
    let expected = 0.5
    for (const [i, factor] of factors.entries()) if (factor !== 0) expected += factor * table[i * points.length + j]
    t.is(sums[places[j]], expected)
  }
})

test('a kernel needs a positive gamma', (t) => {
  for (const gamma of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    t.false(kernelSchema.safeParse({ rbf: { gamma } }).success, `${gamma}`)
  t.deepEqual(kernelSchema.parse({ polynomial: { gamma: 1 } }), { polynomial: { degree: 3, gamma: 1, coef0: 0 } })
})
