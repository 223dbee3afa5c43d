import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { dot, hashVector } from '@murmuration/vectors'
import test from 'ava'
import { FourierFeatures } from './fourier-features.js'

function featuresOf(features: FourierFeatures, x: Float32Array): Float32Array {
  const out = new Float32Array(features.count)
  features.apply(x, out)
  return out
}

test('the products of random Fourier features are those of the kernel, within their spread', (t) => {
  const features = new FourierFeatures({ fourier: 8192, gamma: 0.7 }, 3, 5)
  const random = createRandom(2, 'pairs')
  const draw = () => Float32Array.from({ length: 3 }, () => random.normal())
  for (let pair = 0; pair < 20; pair++) {
    const x = draw()
    const y = draw()
    const kernel = Math.exp(-0.7 * x.reduce((sum, value, i) => sum + (value - y[i]) ** 2, 0))
    // The standard deviation of the mean of 8,192 products is at most 1 / √8192 = 0.011.
    t.true(Math.abs(dot(featuresOf(features, x), featuresOf(features, y)) - kernel) < 0.045)
  }
})

test('random Fourier features depend on the seed and the options alone, and fewer are the first of more', (t) => {
  const x = Float32Array.of(0.3, -2, 0)
  const few = new FourierFeatures({ fourier: 15, gamma: 2 }, 3, 5)
  const many = new FourierFeatures({ fourier: 64, gamma: 2 }, 3, 5)
  const scale = Math.sqrt(64 / 15)
  t.true(featuresOf(few, x).every((value, k) => Math.abs(value - scale * featuresOf(many, x)[k]) < 1e-6))
  t.is(hashVector(featuresOf(many, x)), '4b634e8e2c6328589fdf96b3d7409cd700f385a109b90a5693ab52c2fa383d2e')
  const hashes = [many, new FourierFeatures({ fourier: 64, gamma: 2 }, 3, 6), few].map((each) =>
    hashVector(featuresOf(each, x))
  )
  t.is(new Set(hashes).size, 3)
  t.is(few.name, 'fourier-15-gamma-2-seed-5')
})

test('more inputs times features than fit into memory are refused', (t) => {
  t.throws(() => new FourierFeatures({ fourier: 65_536, gamma: 1 }, 1000, 1), {
    instanceOf: InputError,
    message: /1000 inputs and 65536 Fourier features, .* expected at most 33554432; choose fewer features/
  })
})
