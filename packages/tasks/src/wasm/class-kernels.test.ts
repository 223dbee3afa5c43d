import { createRandom } from '@murmuration/random'
import { KernelMemory } from '@murmuration/vectors'
import test from 'ava'
import { modelKernels } from './kernels.js'

/** A sample with zeros among its inputs, a matrix and a vector; all in the kernels' memory. */
function setUp(inputs: number, width: number) {
  const memory = KernelMemory.fixed([4 * inputs, 8 * inputs * width, 8 * width])
  const x = memory.float32(inputs)
  const matrix = memory.float64(inputs * width)
  const vector = memory.float64(width)
  const random = createRandom(inputs, String(width))
  x.set(x.map(() => (random.uniform() < 0.4 ? 0 : random.normal())))
  for (const numbers of [matrix, vector]) numbers.set(numbers.map(() => random.normal()))
  const sample = [x.byteOffset, x.byteOffset + 4 * inputs] as const
  return { x, matrix, vector, sample, kernels: modelKernels(memory) }
}

for (const [inputs, width] of [
  [1, 2],
  [5, 4],
  [64, 10],
  [3, 300]
] as const) {
  test(`${inputs} inputs, ${width} classes: each score has the bits of a float64 sum over the inputs in their order`, (t) => {
    const { x, matrix, vector, sample, kernels } = setUp(inputs, width)
    const expected = vector.map((start, k) => x.reduce((sum, value, i) => sum + value * matrix[i * width + k], start))
    kernels.scoreClasses(...sample, matrix.byteOffset, 8 * width, vector.byteOffset)
    t.deepEqual(vector, expected)
  })

  test(`${inputs} inputs, ${width} classes: every sum grows by the product of its input and its class's error`, (t) => {
    const { x, matrix, vector, sample, kernels } = setUp(inputs, width)
    const expected = matrix.map((sum, place) => sum + x[Math.floor(place / width)] * vector[place % width])
    kernels.accumulateClasses(...sample, matrix.byteOffset, 8 * width, vector.byteOffset)
    t.deepEqual(matrix, expected)
  })
}
