import { grad, mul, sum, tensor, tile } from '@tensorflow/tfjs-core'
import test from 'ava'
import { chooseBackend } from '../backend.js'

test('the gradient of tile sums what each repetition is given, on every axis', async (t) => {
  await chooseBackend('wasm')
  const shape = [2, 1, 3]
  const repetitions = [2, 4, 3]
  const extents = shape.map((extent, axis) => extent * repetitions[axis])
  const weights = Float32Array.from({ length: 4 * 4 * 9 }, (_, k) => Math.sin(k))
  const incoming = tensor(weights, extents)
  const gradient = grad((x) => sum(mul(tile(x, repetitions), incoming)))(tensor([1, 2, 3, 4, 5, 6], shape))
  const expected = new Float64Array(6)
  for (const [place, weight] of weights.entries()) {
    const i = Math.floor(place / 36)
    const k = place % 9
    expected[(i % 2) * 3 + (k % 3)] += weight
  }
  t.deepEqual(gradient.shape, shape)
  for (const [place, value] of gradient.dataSync().entries()) t.true(Math.abs(value - expected[place]) < 1e-4)
})
