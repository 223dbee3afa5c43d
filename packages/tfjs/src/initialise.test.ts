import { createRandom } from '@murmuration/random'
import test from 'ava'
import { drawInitial, isFixed } from './initialise.js'

const variance = (values: Float32Array) => values.reduce((sum, value) => sum + value ** 2, 0) / values.length
const scaling = (mode: string, distribution: string, scale = 1) => ({
  className: 'VarianceScaling',
  config: { mode, distribution, scale, seed: null }
})

test('Glorot weights lie within √(6 / (inputs + outputs)) and have variance 2 / (inputs + outputs)', (t) => {
  const drawn = drawInitial([300, 100], scaling('fanAvg', 'uniform'), createRandom(1))
  t.true(drawn.every((value) => Math.abs(value) <= Math.sqrt(6 / 400)))
  t.true(Math.abs(variance(drawn) / (2 / 400) - 1) < 0.03)
})

test("the fans of a convolution count its filter's taps", (t) => {
  const drawn = drawInitial([3, 3, 40, 50], scaling('fanIn', 'uniform', 2), createRandom(1))
  t.true(Math.abs(variance(drawn) / (2 / 360) - 1) < 0.03)
})

test('normal weights are cut off at two standard deviations', (t) => {
  const drawn = drawInitial([100, 100], scaling('fanOut', 'normal'), createRandom(1))
  t.true(drawn.every((value) => Math.abs(value) <= 2 / Math.sqrt(100) + 1e-7))
  t.true(drawn.some((value) => Math.abs(value) > 1.8 / Math.sqrt(100)))
})

for (const shape of [
  [20, 60],
  [60, 20]
]) {
  test(`the shorter side of an orthogonal matrix [${shape}] is orthonormal`, (t) => {
    const drawn = drawInitial(shape, { className: 'Orthogonal', config: { gain: 1 } }, createRandom(2))
    const at = (vector: number, i: number) => (shape[0] < shape[1] ? drawn[vector * 60 + i] : drawn[i * 20 + vector])
    for (let left = 0; left < 20; left++) {
      for (let right = 0; right < 20; right++) {
        let product = 0
        for (let i = 0; i < 60; i++) product += at(left, i) * at(right, i)
        t.true(Math.abs(product - (left === right ? 1 : 0)) < 1e-5)
      }
    }
  })
}

test('weights for which nothing is drawn stay as they were built', (t) => {
  const built =
    (...values: number[]) =>
    () =>
      Float32Array.from(values)
  t.true(isFixed({ className: 'Zeros', config: {} }, built(0, 1, 0)))
  t.true(isFixed({ className: 'RandomNormal', config: { seed: 3 } }, built(0.3, 1)))
  t.true(isFixed(undefined, built(1, 1)))
  t.false(isFixed(undefined, built(1, 2)))
  t.false(isFixed({ className: 'RandomNormal', config: { seed: null } }, built(0.3, 1)))
})
