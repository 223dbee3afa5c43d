import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import { drawnGaussians } from './gaussians.js'
import { take, type Source } from './source.js'

const all = (source: Source) =>
  take(
    source,
    Uint32Array.from({ length: source.count }, (_, index) => index)
  )

test('the samples are pinned: a change of them changes every published run', (t) => {
  const { inputs } = all(drawnGaussians(100, 1, 57))
  t.is(hashVector(inputs), '49eaa39d0182800642d14afe51818777cf6c43545cb718dea3e99d9e44dea26b')
})

test('a sample does not depend on how many there are, but on the seed', (t) => {
  const few = all(drawnGaussians(3, 1, 5))
  const many = all(drawnGaussians(9, 1, 5))
  const other = all(drawnGaussians(3, 2, 5))
  t.deepEqual(few.inputs, many.inputs.subarray(0, 15))
  t.notDeepEqual(few.inputs, other.inputs)
})

test('every feature has mean 0 and variance 1, and half of the samples are of either class', (t) => {
  const count = 40_000
  const features = 6
  const { inputs, targets, classes } = all(drawnGaussians(count, 3, features))
  t.is(classes, 2)
  t.is(
    targets.reduce((sum, target) => sum + target, 0),
    count / 2
  )
  for (let i = 0; i < features; i++) {
    const values = inputs.filter((_, index) => index % features === i)
    const mean = values.reduce((sum, value) => sum + value, 0) / count
    const square = values.reduce((sum, value) => sum + value * value, 0) / count
    t.true(Math.abs(mean) < 0.02, `mean ${mean}`)
    t.true(Math.abs(square - 1) < 0.03, `variance ${square}`)
  }
})

test('the best plane separates 93.3 % of them', (t) => {
  const count = 40_000
  const features = 57
  const { inputs, targets } = all(drawnGaussians(count, 4, features))
  // The best weights are the difference of the classes' means over the variance within a class, which is 1 less a
  // quarter of the difference's square, as the variance over both is 1.
  const difference = new Float64Array(features)
  inputs.forEach((value, index) => {
    difference[index % features] += ((targets[Math.floor(index / features)] * 2 - 1) * value) / (count / 2)
  })
  const weights = difference.map((value) => value / (1 - (value * value) / 4))
  const right = targets.filter((target, sample) => {
    const score = weights.reduce((sum, weight, i) => sum + weight * inputs[sample * features + i], 0)
    return score > 0 === target > 0
  })
  t.true(Math.abs(right.length / count - 0.9332) < 0.005, `${right.length} of ${count}`)
})
