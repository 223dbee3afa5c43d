import { createRandom } from '@murmuration/random'
import test from 'ava'
import { take } from '../source.js'
import { drawnDigits } from './digits.js'
import { shrink } from './shrink.js'

const edge = 28
const random = createRandom(1, 'image')
const image = Float32Array.from({ length: edge * edge }, () => random.uniform())

/**
 * The same by another method: each pixel becomes size × size equal ones, and each new pixel is the mean of edge × edge
 * of those.
 */
function shrinkFinely(size: number): Float32Array {
  return Float32Array.from({ length: size * size }, (_, place) => {
    const top = Math.floor(place / size) * edge
    const left = (place % size) * edge
    let sum = 0
    for (let y = top; y < top + edge; y++) {
      for (let x = left; x < left + edge; x++) sum += image[Math.floor(y / size) * edge + Math.floor(x / size)]
    }
    return sum / edge ** 2
  })
}

for (const size of [1, 3, 7, 8, 14, 27, 28]) {
  test(`a image of ${size} × ${size} pixels has the means of the areas that they cover`, (t) => {
    const out = new Float32Array(size * size)
    shrink(image, edge, out, size)
    const expected = shrinkFinely(size)
    t.true(out.every((value, place) => Math.abs(value - expected[place]) < 1e-6))
  })
}

test('small digits are the large ones made smaller, with the same classes', (t) => {
  const numbers = Uint32Array.of(7, 31)
  const large = take(drawnDigits(40, 5), numbers)
  const small = take(drawnDigits(40, 5, 8), numbers)
  t.deepEqual(small.inputShape, [8, 8, 1])
  t.deepEqual(small.targets, large.targets)
  const expected = new Float32Array(64)
  for (const k of [0, 1]) {
    shrink(large.inputs.subarray(k * 784, (k + 1) * 784), edge, expected, 8)
    t.deepEqual(small.inputs.subarray(k * 64, (k + 1) * 64), expected)
  }
})
