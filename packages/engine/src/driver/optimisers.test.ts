import test from 'ava'
import { Arena, type Vector } from '../vectors/vector.js'
import { optimiserOf } from './optimisers.js'
import type { OptimiserSettings, State } from '../record/record.js'

const memory = { allocate: (length: number) => new Float32Array(length), free: () => {} }
const arena = new Arena(memory)
const vector = (...values: number[]) => arena.adopt(Float32Array.from(values))

/** Takes steps from (1, −2) along gradients that change by step. */
function walk(settings: OptimiserSettings, steps: number): Float32Array {
  const [optimiser, options] = optimiserOf(settings)
  let x: Vector = vector(1, -2)
  let state: State = optimiser.start(options, x)
  for (let k = 0; k < steps; k++) ({ x, state } = optimiser.step(options, state, x, vector(0.5 + k, -0.25 * k), 0.1))
  return x.values
}

for (const nesterov of [false, true]) {
  test(`SGD with momentum, nesterov ${nesterov}: v ← μ v + g, and the step of TensorFlow and PyTorch`, (t) => {
    const x = [1, -2]
    const v = [0, 0]
    for (let k = 0; k < 5; k++) {
      for (const [d, g] of [0.5 + k, -0.25 * k].entries()) {
        v[d] = 0.9 * v[d] + g
        x[d] -= 0.1 * (nesterov ? g + 0.9 * v[d] : v[d])
      }
    }
    for (const [d, value] of walk({ name: 'sgd', momentum: 0.9, nesterov }, 5).entries()) {
      t.true(Math.abs(value - x[d]) < 1e-6)
    }
  })
}

test('AdamW is Algorithm 2 of Loshchilov and Hutter, in float64', (t) => {
  const γ = 0.1
  const β1 = 0.9
  const β2 = 0.999
  const ε = 1e-8
  const λ = 0.05
  const x = [1, -2]
  const m = [0, 0]
  const v = [0, 0]
  for (let k = 0; k < 6; k++) {
    for (const [d, g] of [0.5 + k, -0.25 * k].entries()) {
      m[d] = β1 * m[d] + (1 - β1) * g
      v[d] = β2 * v[d] + (1 - β2) * g * g
      const direction = m[d] / (1 - β1 ** (k + 1)) / (Math.sqrt(v[d] / (1 - β2 ** (k + 1))) + ε)
      x[d] = x[d] - γ * λ * x[d] - γ * direction
    }
  }
  for (const [d, value] of walk({ name: 'adamw', decay: λ }, 6).entries()) t.true(Math.abs(value - x[d]) < 1e-5)
})

test('Adam is AdamW without decay', (t) => {
  t.deepEqual(walk({ name: 'adam' }, 4), walk({ name: 'adamw', decay: 0 }, 4))
})

test('an optimiser’s own rate is taken in place of the run’s', (t) => {
  t.deepEqual(walk({ name: 'sgd', rate: 0.2 }, 1), Float32Array.of(0.9, -2))
})

test('an unknown optimiser is refused with those there are', (t) => {
  t.throws(() => optimiserOf({ name: 'sdg' }), { message: 'optimiser "sdg": expected sgd, adam, adamw' })
})
