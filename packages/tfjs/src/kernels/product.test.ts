import { createRandom } from '@murmuration/random'
import '@tensorflow/tfjs-backend-cpu'
import { engine, setBackend, type Tensor, tensor, tidy } from '@tensorflow/tfjs-core'
import test from 'ava'
import fc from 'fast-check'
import { chooseBackend } from '../backend.js'

interface Factors {
  readonly a: Factor
  readonly b: Factor
  readonly transposeA: boolean
  readonly transposeB: boolean
}

interface Factor {
  readonly shape: number[]
  readonly values: Float32Array
}

/** Extents around those of tiles, panels and chunks, including 0 and 1. */
const extent = fc.oneof(fc.nat(17), fc.constantFrom(0, 1, 5, 8, 40))
const terms = fc.oneof(fc.nat(17), fc.constantFrom(0, 1, 255, 256, 257, 700))
/** Leading extents of both factors that broadcast. */
const batches = fc.constantFrom<readonly [number[], number[]]>(
  [[], []],
  [[1], [3]],
  [[3], [1]],
  [[2], [2]],
  [[0], [1]],
  [[2, 3], [3]],
  [
    [2, 2],
    [2, 2]
  ]
)

const factors = fc
  .record({ batches, rows: extent, terms, columns: extent, transposeA: fc.boolean(), transposeB: fc.boolean() })
  .chain(({ batches: [batchA, batchB], rows, terms, columns, transposeA, transposeB }) =>
    fc.integer().map((seed): Factors => ({
      a: drawn(seed, 'a', [...batchA, ...(transposeA ? [terms, rows] : [rows, terms])]),
      b: drawn(seed, 'b', [...batchB, ...(transposeB ? [columns, terms] : [terms, columns])]),
      transposeA,
      transposeB
    }))
  )

function drawn(seed: number, name: string, shape: number[]): Factor {
  const random = createRandom(seed, name)
  return { shape, values: Float32Array.from({ length: sizeOf(shape) }, () => 2 * random.uniform() - 1) }
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1)
}

/** The output of a kernel on a backend. */
async function outcome(backend: string, kernel: string, inputs: Readonly<Record<string, Factor>>, attributes: object) {
  while (!(await setBackend(backend))) throw new Error(`${backend} does not start`)
  return tidy(() => {
    const tensors = Object.entries(inputs).map(([name, { shape, values }]) => [name, tensor(values, shape)] as const)
    const output = engine().runKernel<Tensor>(kernel, Object.fromEntries(tensors), { ...attributes })
    return { shape: output.shape, values: output.dataSync<'float32'>() }
  })
}

/**
 * The product in float64, of matrices without a batch, and for each element the sum of the absolute values of its
 * terms.
 */
function reference({ a, b, transposeA, transposeB }: Factors): readonly (readonly [number, number])[] {
  const [rows, terms] = transposeA ? a.shape.toReversed() : a.shape
  const columns = b.shape[transposeB ? 0 : 1]
  return Array.from({ length: rows * columns }, (_, place) => {
    const row = Math.floor(place / columns)
    const column = place % columns
    let sum = 0
    let size = 0
    for (let k = 0; k < terms; k++) {
      const left = a.values[transposeA ? k * rows + row : row * terms + k]
      const term = left * b.values[transposeB ? column * terms + k : k * columns + column]
      sum += term
      size += Math.abs(term)
    }
    return [sum, size]
  })
}

const timeout = 120_000

test.serial('a product is that of plain JavaScript, whatever sizes, batches and transposes', async (t) => {
  t.timeout(timeout)
  await chooseBackend('wasm')
  await fc.assert(
    fc.asyncProperty(factors, async ({ a, b, ...transposes }) => {
      const wasm = await outcome('wasm', 'BatchMatMul', { a, b }, transposes)
      const cpu = await outcome('cpu', 'BatchMatMul', { a, b }, transposes)
      const isNear = wasm.values.every((value, k) => Math.abs(value - cpu.values[k]) < 1e-4)
      return isNear && JSON.stringify(wasm.shape) === JSON.stringify(cpu.shape)
    }),
    { numRuns: 150 }
  )
  t.pass()
})

test.serial(
  'an element is within 1e-5 of its terms of the product in float64, also where these are many',
  async (t) => {
    t.timeout(timeout)
    await chooseBackend('wasm')
    for (const terms of [1, 300, 5000, 60_000]) {
      for (const transposes of [0, 1, 2, 3]) {
        const transposeA = transposes % 2 === 1
        const transposeB = transposes > 1
        const a = positive(drawn(terms, 'a', transposeA ? [terms, 6] : [6, terms]))
        const b = positive(drawn(terms, 'b', transposeB ? [9, terms] : [terms, 9]))
        const { values } = await outcome('wasm', 'BatchMatMul', { a, b }, { transposeA, transposeB })
        const expected = reference({ a, b, transposeA, transposeB })
        const worst = Math.max(...expected.map(([sum, size], k) => Math.abs(values[k] - sum) / size))
        t.true(worst < 1e-5, `${terms} terms: the largest relative error is ${worst}`)
      }
    }
  }
)

/** The same without signs, so that all rounding errors are relative to large sums. */
function positive({ shape, values }: Factor): Factor {
  return { shape, values: values.map(Math.abs) }
}

test.serial('batches of both factors are broadcast', async (t) => {
  await chooseBackend('wasm')
  const a = drawn(1, 'a', [2, 1, 3, 4])
  const b = drawn(1, 'b', [1, 3, 4, 5])
  const { shape, values } = await outcome('wasm', 'BatchMatMul', { a, b }, {})
  t.deepEqual(shape, [2, 3, 3, 5])
  for (const [i, j] of [0, 1].flatMap((i) => [0, 1, 2].map((j) => [i, j]))) {
    const left = { shape: [3, 4], values: a.values.slice(12 * i, 12 * (i + 1)) }
    const right = { shape: [4, 5], values: b.values.slice(20 * j, 20 * (j + 1)) }
    const one = await outcome('wasm', 'BatchMatMul', { a: left, b: right }, {})
    t.deepEqual(values.slice(15 * (3 * i + j), 15 * (3 * i + j + 1)), one.values)
  }
})

// Products of few rows use other tiles than those of many, and those of 8 columns read the right factor in place.
for (const columns of [21, 40]) {
  test.serial(`an element has the same bits wherever it lies in a product of ${columns} columns`, async (t) => {
    await chooseBackend('wasm')
    const a = drawn(1, 'a', [23, 300])
    const b = drawn(1, 'b', [300, columns])
    const whole = await outcome('wasm', 'BatchMatMul', { a, b }, {})
    for (const rows of [1, 2, 3, 4, 7]) {
      for (const row of [0, 4, 5, 23 - rows]) {
        const alone = { shape: [rows, 300], values: a.values.slice(300 * row, 300 * (row + rows)) }
        const part = await outcome('wasm', 'BatchMatMul', { a: alone, b }, {})
        t.deepEqual(part.values, whole.values.slice(columns * row, columns * (row + rows)))
      }
    }
    const isLast = (_: number, k: number) => k % columns === columns - 1
    const last = { shape: [300, 1], values: b.values.filter(isLast) }
    const column = await outcome('wasm', 'BatchMatMul', { a, b: last }, {})
    t.deepEqual(column.values, whole.values.filter(isLast))
  })
}

const special = [0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

for (const activation of ['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu']) {
  test.serial(`a fused product with bias and ${activation} is that of plain JavaScript`, async (t) => {
    t.timeout(timeout)
    await chooseBackend('wasm')
    const given = fc.tuple(
      extent,
      fc.nat(9),
      fc.integer({ min: 1, max: 17 }),
      fc.constantFrom('none', 'columns', 'all')
    )
    await fc.assert(
      fc.asyncProperty(given, fc.integer(), async ([rows, terms, columns, kind], seed) => {
        const more: Record<string, Factor> = {}
        if (kind !== 'none') more.bias = drawn(seed, 'bias', kind === 'all' ? [1] : [columns])
        if (activation === 'prelu') more.preluActivationWeights = drawn(seed, 'weights', [columns])
        const a = drawn(seed, 'a', [1, rows, terms])
        const b = drawn(seed, 'b', [1, terms, columns])
        const attributes = { transposeA: false, transposeB: false, activation, leakyreluAlpha: 0.3 }
        const wasm = await outcome('wasm', '_FusedMatMul', { a, b, ...more }, attributes)
        const cpu = await outcome('cpu', '_FusedMatMul', { a, b, ...more }, attributes)
        return wasm.values.every((value, k) => Math.abs(value - cpu.values[k]) < 1e-5)
      }),
      { numRuns: 30 }
    )
    t.pass()
  })
}

test.serial('what is not a number, or not finite, comes out as it does in plain JavaScript', async (t) => {
  t.timeout(timeout)
  await chooseBackend('wasm')
  const values = (length: number) => fc.array(fc.constantFrom(...special), { minLength: length, maxLength: length })
  const activations = fc.constantFrom('linear', 'relu', 'relu6')
  await fc.assert(
    fc.asyncProperty(values(6 * 3), values(3 * 9), values(9), activations, async (left, right, last, activation) => {
      const a = { shape: [1, 6, 3], values: Float32Array.from(left) }
      const b = { shape: [1, 3, 9], values: Float32Array.from(right) }
      const bias = { shape: [9], values: Float32Array.from(last) }
      const attributes = { transposeA: false, transposeB: false, activation }
      const wasm = await outcome('wasm', '_FusedMatMul', { a, b, bias }, attributes)
      const cpu = await outcome('cpu', '_FusedMatMul', { a, b, bias }, attributes)
      return wasm.values.every((value, k) => Object.is(value + 0, cpu.values[k] + 0))
    }),
    { numRuns: 60 }
  )
  t.pass()
})
