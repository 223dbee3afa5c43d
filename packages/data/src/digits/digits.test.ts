import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import { take, type Source } from '../source.js'
import { drawnDigits } from './digits.js'

const pixels = 28 * 28
const first = (source: Source, count: number) =>
  take(
    source,
    Uint32Array.from({ length: count }, (_, index) => index)
  )
const image = (inputs: Float32Array, index: number) => inputs.subarray(index * pixels, (index + 1) * pixels)

test('the images are pinned: a change of them changes every published run', (t) => {
  const { inputs } = first(drawnDigits(20, 1), 20)
  t.is(hashVector(inputs), '082e4a0cf6c9a5fcb78088595cd82a5afab18b47eb624d7b2b643f5b9ff18235')
})

test('a image depends on the seed and its number alone, not on how many there are or which were drawn before', (t) => {
  const alone = new Float32Array(pixels)
  drawnDigits(1000, 5).read(33, alone)
  t.deepEqual(alone, image(first(drawnDigits(34, 5), 34).inputs, 33))
})

test('other seeds and numbers give other images', (t) => {
  const { inputs } = first(drawnDigits(300, 1), 300)
  const other = first(drawnDigits(300, 2), 300).inputs
  const all = [inputs, other].flatMap((set) => Array.from({ length: 300 }, (_, k) => hashVector(image(set, k))))
  t.is(new Set(all).size, 600)
})

test('every image is between paper and ink, has ink, and its outermost pixels are nearly free', (t) => {
  const { inputs, targets } = first(drawnDigits(1000, 3), 1000)
  t.true(inputs.every((value) => value >= 0 && value <= 1))
  t.deepEqual([...targets.subarray(0, 12)], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1])
  for (let k = 0; k < 1000; k++) {
    const ink = image(inputs, k).reduce((sum, value) => sum + value, 0)
    t.true(ink > 10 && ink < 250, `image ${k} of a ${targets[k]} has ${ink} pixels of ink`)
  }
  const edgeInk = inputs.filter((_, index) => index % 28 === 0 || index % 28 === 27)
  t.true(edgeInk.reduce((sum, value) => sum + value, 0) / edgeInk.length < 0.01)
})

test('the digits can be distinguished by their mean images, but not all of them', (t) => {
  const { inputs, targets } = first(drawnDigits(2000, 4), 2000)
  const means = Array.from({ length: 10 }, () => new Float64Array(pixels))
  for (let k = 0; k < 1000; k++) {
    for (const [index, value] of image(inputs, k).entries()) means[targets[k]][index] += value / 100
  }
  let right = 0
  for (let k = 1000; k < 2000; k++) {
    const distances = means.map((mean) => image(inputs, k).reduce((sum, v, index) => sum + (v - mean[index]) ** 2, 0))
    if (distances.indexOf(Math.min(...distances)) === targets[k]) right++
  }
  t.true(right > 550 && right < 900, `${right} of 1000`)
})
