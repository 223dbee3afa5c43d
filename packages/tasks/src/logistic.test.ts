import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { Logistic } from './logistic.js'
import type { Samples } from '@murmuration/data'

function drawSamples(seed: number, count: number, inputs: number): Samples {
  const random = createRandom(seed, 'samples')
  return {
    count,
    inputShape: [inputs],
    inputs: Float32Array.from({ length: count * inputs }, () => random.normal()),
    targetShape: [],
    targets: Float32Array.from({ length: count }, () => random.integer(2)),
    classes: 2
  }
}

/** The definition in float64, without protection from overflow. */
function lossByDefinition(parameters: Float64Array, samples: Samples, batch: readonly number[], l2: number): number {
  const inputs = samples.inputShape[0]
  const losses = batch.map((index) => {
    let score = parameters[inputs]
    for (let i = 0; i < inputs; i++) score += samples.inputs[index * inputs + i] * parameters[i]
    const sign = samples.targets[index] === 1 ? 1 : -1
    return -Math.log(1 / (1 + Math.exp(-sign * score)))
  })
  const square = parameters.slice(0, inputs).reduce((sum, weight) => sum + weight * weight, 0)
  return losses.reduce((sum, loss) => sum + loss, 0) / batch.length + (l2 / 2) * square
}

/** Central differences of the definition in float64. */
function slopesByDefinition(at: Float32Array, lossAt: (parameters: Float64Array) => number): Float64Array {
  return Float64Array.from(at, (_, index) => {
    const shifted = (step: number) => lossAt(Float64Array.from(at, (value, i) => (i === index ? value + step : value)))
    return (shifted(1e-5) - shifted(-1e-5)) / 2e-5
  })
}

const cases = fc.record({
  inputs: fc.integer({ min: 1, max: 40 }),
  seed: fc.integer(),
  l2: fc.constantFrom(0, 0.3),
  first: fc.integer({ min: 0, max: 3 })
})

test('logistic: loss and gradient are those of the definition, the gradient by central differences', (t) => {
  fc.assert(
    fc.property(cases, ({ inputs, seed, l2, first }) => {
      const samples = drawSamples(seed, 9, inputs)
      const model = new Logistic(samples, samples, l2)
      const random = createRandom(seed, 'parameters')
      const parameters = Float32Array.from({ length: model.length }, () => random.normal() / Math.sqrt(inputs))
      const batch = [5, 0, 0, 3]
      const lossAt = (x: Float64Array) =>
        lossByDefinition(
          x,
          samples,
          batch.map((place) => first + place),
          l2
        )
      const gradient = new Float32Array(model.length)
      const loss = model.gradient(parameters, first, Uint32Array.from(batch), gradient)
      t.true(Math.abs(loss - lossAt(Float64Array.from(parameters))) < 1e-6)
      for (const [index, slope] of slopesByDefinition(parameters, lossAt).entries()) {
        t.true(Math.abs(gradient[index] - slope) < 2e-6 * Math.max(1, Math.abs(slope)))
      }
    }),
    { numRuns: 60 }
  )
})

test('a batch of thousands is as exact as one of a few', (t) => {
  const samples = drawSamples(3, 100, 57)
  const model = new Logistic(samples, samples, 0)
  const parameters = Float32Array.from({ length: 58 }, (_, i) => Math.sin(i) / 5)
  const batch = Array.from({ length: 3000 }, (_, b) => (b * 7) % 100)
  const once = Array.from({ length: 100 }, (_, b) => b)
  const many = new Float32Array(58)
  const few = new Float32Array(58)
  const loss = model.gradient(parameters, 0, Uint32Array.from(batch), many)
  t.true(Math.abs(loss - lossByDefinition(Float64Array.from(parameters), samples, once, 0)) < 1e-6)
  model.gradient(parameters, 0, Uint32Array.from(once), few)
  t.true(many.every((value, i) => Math.abs(value - few[i]) < 1e-6))
})

test('at zero both classes are as likely, and the loss is the logarithm of 2, for any number of samples', (t) => {
  const samples = drawSamples(1, 2000, 3)
  const model = new Logistic(samples, samples, 0)
  const zero = new Float32Array(model.length)
  t.true(Math.abs(model.evaluate(zero).loss - Math.LN2) < 1e-12)
  const all = Uint32Array.from({ length: 2000 }, (_, index) => index)
  t.true(Math.abs(model.gradient(zero, 0, all, new Float32Array(4)) - Math.LN2) < 1e-12)
})

test('logistic: scores of hundreds neither overflow nor lose the loss', (t) => {
  const one = { ...drawSamples(1, 1, 1), inputs: Float32Array.of(1) }
  const wrong = new Logistic({ ...one, targets: Float32Array.of(0) }, { ...one, targets: Float32Array.of(0) }, 0)
  t.deepEqual(wrong.evaluate(Float32Array.of(1000, 0)), { loss: 1000, accuracy: 0 })
  const out = new Float32Array(2)
  t.is(wrong.gradient(Float32Array.of(1000, 0), 0, Uint32Array.of(0), out), 1000)
  t.deepEqual(out, Float32Array.of(1, 1))
  t.deepEqual(wrong.evaluate(Float32Array.of(-1000, 0)), { loss: 0, accuracy: 1 })
})

test('the accuracy is the fraction of samples on their own side of the border, which itself is class 0', (t) => {
  const samples: Samples = {
    ...drawSamples(1, 4, 1),
    inputs: Float32Array.of(-1, 2, 3, 0),
    targets: Float32Array.of(0, 1, 0, 0)
  }
  const model = new Logistic(samples, samples, 0)
  t.is(model.evaluate(Float32Array.of(1, 0)).accuracy, 0.75)
})

test('anything but two classes and an impossible l2 are refused', (t) => {
  const samples = drawSamples(1, 2, 2)
  const build = (own: Partial<Samples>, l2: number) => () => new Logistic({ ...samples, ...own }, samples, l2)
  t.throws(build({ classes: undefined }, 0), { instanceOf: InputError, message: /no classes, .* needs 2/ })
  t.throws(build({ classes: 10 }, 0), { instanceOf: InputError, message: /10 classes, .* needs 2/ })
  t.throws(build({}, Number.NaN), { instanceOf: InputError, message: /l2 is NaN/ })
})
