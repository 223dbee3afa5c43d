import { createRandom } from '@murmuration/random'
import test from 'ava'
import { classKernels } from './class-kernels.js'
import { KernelMemory } from './memory.js'

/** A sample with zeros among its inputs, a matrix and a vector; all in the kernels' memory. */
function setUp(inputs: number, width: number) {
  const memory = new KernelMemory([4 * inputs, 8 * inputs * width, 8 * width])
  const [x, matrix, vector] = [memory.float32(inputs), memory.float64(inputs * width), memory.float64(width)]
  const random = createRandom(inputs, String(width))
  x.numbers.set(x.numbers.map(() => (random.uniform() < 0.4 ? 0 : random.normal())))
  for (const { numbers } of [matrix, vector]) numbers.set(numbers.map(() => random.normal()))
  const sample = [x.at, x.at + 4 * inputs] as const
  return { x: x.numbers, matrix, vector, sample, kernels: classKernels(memory.memory, width / 2) }
}

for (const [inputs, width] of [
  [1, 2],
  [5, 4],
  [64, 10],
  [3, 300]
] as const) {
  test(`${inputs} inputs, ${width} classes: each score has the bits of a float64 sum over the inputs in their order`, (t) => {
    const { x, matrix, vector, sample, kernels } = setUp(inputs, width)
    const expected = vector.numbers.map((start, k) =>
      x.reduce((sum, value, i) => sum + value * matrix.numbers[i * width + k], start)
    )
    kernels.score(...sample, matrix.at, vector.at)
    t.deepEqual(vector.numbers, expected)
  })

  test(`${inputs} inputs, ${width} classes: every sum grows by the product of its input and its class's error`, (t) => {
    const { x, matrix, vector, sample, kernels } = setUp(inputs, width)
    const expected = matrix.numbers.map(
      (sum, place) => sum + x[Math.floor(place / width)] * vector.numbers[place % width]
    )
    kernels.accumulate(...sample, matrix.at, vector.at)
    t.deepEqual(matrix.numbers, expected)
  })
}
