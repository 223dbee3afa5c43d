import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import type { Samples } from '@murmuration/data'
import { Softmax } from './softmax.js'

function drawSamples(seed: number, count: number, inputs: number, classes: number): Samples {
  const random = createRandom(seed, 'samples')
  return {
    count,
    inputShape: [inputs],
    inputs: Float32Array.from({ length: count * inputs }, () => (random.uniform() < 0.3 ? 0 : random.normal())),
    targetShape: [],
    targets: Float32Array.from({ length: count }, () => random.integer(classes)),
    classes
  }
}

/** The definition, without protection from overflow. */
function lossByDefinition(
  parameters: ArrayLike<number>,
  samples: Samples,
  batch: readonly number[],
  l2: number
): number {
  const inputs = samples.inputShape[0]
  const classes = samples.classes ?? 0
  const scores = (index: number) =>
    Array.from({ length: classes }, (_, k) => {
      let score = parameters[inputs * classes + k]
      for (let i = 0; i < inputs; i++) score += samples.inputs[index * inputs + i] * parameters[i * classes + k]
      return Math.exp(score)
    })
  const losses = batch.map((index) => {
    const exponentials = scores(index)
    return -Math.log(exponentials[samples.targets[index]] / exponentials.reduce((sum, value) => sum + value, 0))
  })
  const square = Array.from(parameters)
    .slice(0, inputs * classes)
    .reduce((sum, weight) => sum + weight * weight, 0)
  return losses.reduce((sum, loss) => sum + loss, 0) / batch.length + (l2 / 2) * square
}

test('softmax: loss and gradient are those of the definition, the gradient by central differences', (t) => {
  const shape = { inputs: fc.integer({ min: 1, max: 5 }), classes: fc.integer({ min: 2, max: 4 }) }
  const cases = fc.record({ ...shape, seed: fc.integer(), l2: fc.constantFrom(0, 0.3) })
  fc.assert(
    fc.property(cases, ({ inputs, classes, seed, l2 }) => {
      const samples = drawSamples(seed, 6, inputs, classes)
      const model = new Softmax(samples, samples, l2)
      const random = createRandom(seed, 'parameters')
      const parameters = Float32Array.from({ length: model.length }, () => random.normal())
      const batch = [5, 0, 0, 3]
      const gradient = new Float32Array(model.length)
      const loss = model.gradient(parameters, 0, Uint32Array.from(batch), gradient)
      t.true(Math.abs(loss - lossByDefinition(parameters, samples, batch, l2)) < 1e-9)
      for (const index of gradient.keys()) {
        const shifted = (step: number) => {
          const moved = Float64Array.from(parameters)
          moved[index] += step
          return lossByDefinition(moved, samples, batch, l2)
        }
        const slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5
        t.true(Math.abs(gradient[index] - slope) < 1e-6 * Math.max(1, Math.abs(slope)))
      }
    }),
    { numRuns: 50 }
  )
})

test('at zero all classes are as likely, and the loss is the logarithm of their number', (t) => {
  const samples = drawSamples(1, 10, 3, 7)
  const model = new Softmax(samples, samples, 0)
  t.true(Math.abs(model.evaluate(new Float32Array(model.length)).loss - Math.log(7)) < 1e-12)
})

test('softmax: scores of hundreds neither overflow nor lose the loss', (t) => {
  const samples: Samples = { ...drawSamples(1, 1, 1, 2), inputs: Float32Array.of(1), targets: Float32Array.of(1) }
  const model = new Softmax(samples, samples, 0)
  const { loss, accuracy } = model.evaluate(Float32Array.of(1000, 0, 0, 0))
  t.is(loss, 1000)
  t.is(accuracy, 0)
})

test('the accuracy is the fraction of samples whose own class scores highest', (t) => {
  const samples: Samples = {
    ...drawSamples(1, 4, 2, 2),
    inputs: Float32Array.of(1, 0, 0, 1, 1, 0, 0, 1),
    targets: Float32Array.of(0, 1, 1, 1)
  }
  const model = new Softmax(samples, samples, 0)
  t.is(model.evaluate(Float32Array.of(1, 0, 0, 1, 0, 0)).accuracy, 0.75)
})

test('real targets and an impossible l2 are refused', (t) => {
  const samples = drawSamples(1, 2, 2, 2)
  t.throws(() => new Softmax({ ...samples, classes: undefined }, samples, 0), {
    instanceOf: InputError,
    message: /no classes/
  })
  t.throws(() => new Softmax(samples, samples, -1), { instanceOf: InputError, message: /l2 is -1/ })
})
