import { createRandom } from '@murmuration/random'
import { KernelMemory } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import { modelKernels, rowStep } from './kernels.js'

const { fround } = Math
const cases = fc.record({
  seed: fc.integer(),
  rowCount: fc.integer({ min: 1, max: 9 }),
  steps: fc.integer({ min: 1, max: 5 }),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 40 })
})

/** Rows, their factors, and the numbers of the rows in use; all in the kernels' memory. */
function setUp({ seed, rowCount, steps, picks }: { seed: number; rowCount: number; steps: number; picks: number[] }) {
  const width = steps * rowStep
  const memory = KernelMemory.fixed(
    [rowCount * width, width, width, picks.length, picks.length].map((length) => 4 * length)
  )
  const rows = memory.float32(rowCount * width)
  const weights = memory.float32(width)
  const out = memory.float32(width)
  const batch = memory.uint32(picks.length)
  const factors = memory.float32(picks.length)
  const random = createRandom(seed)
  for (const numbers of [rows, weights, out, factors]) numbers.set(numbers.map(() => random.normal()))
  batch.set(picks.map((pick) => pick % rowCount))
  const at = (b: number, i: number) => rows[batch[b] * width + i]
  const range = [batch.byteOffset, batch.byteOffset + 4 * picks.length, rows.byteOffset, 4 * width] as const
  return { width, weights, out, batch, factors, at, range, kernels: modelKernels(memory) }
}

test('scores have the bits of 16 float32 sums, added up in pairs', (t) => {
  fc.assert(
    fc.property(cases, (drawn) => {
      const { width, weights, factors: scores, at, range, kernels } = setUp(drawn)
      kernels.scoreRows(...range, weights.byteOffset, scores.byteOffset)
      const expected = drawn.picks.map((_, b) => {
        const sums = new Float32Array(rowStep)
        for (let i = 0; i < width; i++) sums[i % rowStep] += fround(at(b, i) * weights[i])
        const four = [0, 1, 2, 3].map((lane) =>
          fround(fround(sums[lane] + sums[4 + lane]) + fround(sums[8 + lane] + sums[12 + lane]))
        )
        return fround(fround(four[0] + four[1]) + fround(four[2] + four[3]))
      })
      t.deepEqual(scores, Float32Array.from(expected))
    })
  )
})

test('the combination has the bits of float32 sums over the batch in its order, and replaces what was there', (t) => {
  fc.assert(
    fc.property(cases, (drawn) => {
      const { width, out, factors, at, range, kernels } = setUp(drawn)
      kernels.combineRows(...range, factors.byteOffset, out.byteOffset)
      const expected = new Float32Array(width)
      for (const b of drawn.picks.keys()) {
        for (let i = 0; i < width; i++) expected[i] += fround(factors[b] * at(b, i))
      }
      t.deepEqual(out, expected)
    })
  )
})
