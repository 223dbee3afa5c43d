import { InputError } from '@murmuration/core'
import type { Samples } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { type MarginLoss, marginLosses, Svm } from './svm.js'

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

interface Objective {
  readonly loss: MarginLoss
  readonly l2: number
}

/** The definition in float64: the mean over the vectors of (λ / 2) ‖w‖² + mean loss, the bias within w. */
function lossByDefinition(
  parameters: ArrayLike<number>,
  { inputShape: [inputs], inputs: values, targets, classes = 2 }: Samples,
  batch: readonly number[],
  { loss, l2 }: Objective
): number {
  const outputs = classes === 2 ? 1 : classes
  const objectives = Array.from({ length: outputs }, (_, k) => {
    const w = Array.from({ length: inputs + 1 }, (_, i) => parameters[i * outputs + k])
    const losses = batch.map((sample) => {
      const x = [...values.subarray(sample * inputs, (sample + 1) * inputs), 1]
      const y = targets[sample] === (classes === 2 ? 1 : k) ? 1 : -1
      const missing = Math.max(0, 1 - y * x.reduce((sum, each, i) => sum + each * w[i], 0))
      return loss === 'hinge' ? missing : missing ** 2
    })
    const mean = losses.reduce((sum, each) => sum + each, 0) / batch.length
    return (l2 / 2) * w.reduce((sum, each) => sum + each ** 2, 0) + mean
  })
  return objectives.reduce((sum, each) => sum + each, 0) / outputs
}

const cases = fc.record({
  inputs: fc.integer({ min: 1, max: 6 }),
  classes: fc.integer({ min: 2, max: 5 }),
  seed: fc.integer(),
  l2: fc.constantFrom(0, 0.3),
  loss: fc.constantFrom(...marginLosses),
  first: fc.integer({ min: 0, max: 3 })
})

test('SVM: loss and gradient are those of the definition, the gradient by central differences', (t) => {
  fc.assert(
    fc.property(cases, ({ inputs, classes, seed, first, ...objective }) => {
      const samples = drawSamples(seed, 9, inputs, classes)
      const model = new Svm(samples, samples, objective)
      const random = createRandom(seed, 'parameters')
      const parameters = Float32Array.from({ length: model.length }, () => random.normal())
      const batch = [5, 0, 0, 3]
      const lossAt = (at: ArrayLike<number>) =>
        lossByDefinition(
          at,
          samples,
          batch.map((place) => first + place),
          objective
        )
      const gradient = new Float32Array(model.length)
      t.true(Math.abs(model.gradient(parameters, first, Uint32Array.from(batch), gradient) - lossAt(parameters)) < 1e-9)
      for (const index of gradient.keys()) {
        const shifted = (step: number) =>
          lossAt(Float64Array.from(parameters, (value, i) => (i === index ? value + step : value)))
        const slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6
        t.true(Math.abs(gradient[index] - slope) < 2e-5 * Math.max(1, Math.abs(slope)), `${gradient[index]}, ${slope}`)
      }
    }),
    { numRuns: 60, seed: 7 }
  )
})

test('SVM: several classes are the mean of one against the rest', (t) => {
  const samples = drawSamples(3, 40, 4, 3)
  const all = Uint32Array.from({ length: 40 }, (_, sample) => sample)
  const objective = { loss: 'squared-hinge', l2: 0.1 } as const
  const model = new Svm(samples, samples, objective)
  const parameters = Float32Array.from({ length: 15 }, (_, i) => Math.sin(i))
  const gradient = new Float32Array(15)
  const loss = model.gradient(parameters, 0, all, gradient)
  const alone = [0, 1, 2].map((k) => {
    const targets = samples.targets.map((target) => (target === k ? 1 : 0))
    const binary = { ...samples, targets, classes: 2 }
    const out = new Float32Array(5)
    const own = parameters.filter((_, i) => i % 3 === k)
    return { loss: new Svm(binary, binary, objective).gradient(own, 0, all, out), out }
  })
  t.true(Math.abs(loss - alone.reduce((sum, each) => sum + each.loss, 0) / 3) < 1e-12)
  t.true(gradient.every((value, i) => Math.abs(value - alone[i % 3].out[Math.floor(i / 3)] / 3) < 1e-7))
  const right = samples.targets.filter((target, sample) => {
    const scores = [0, 1, 2].map((k) =>
      [0, 1, 2, 3, 4].reduce(
        (sum, i) => sum + parameters[3 * i + k] * (i === 4 ? 1 : samples.inputs[4 * sample + i]),
        0
      )
    )
    return scores.indexOf(Math.max(...scores)) === target
  })
  t.is(model.evaluate(parameters).accuracy, right.length / 40)
})

test('SVM: a margin of exactly 1 costs nothing, and the border itself is class 0', (t) => {
  const one = { ...drawSamples(1, 2, 1, 2), inputs: Float32Array.of(1, -1), targets: Float32Array.of(1, 0) }
  for (const loss of marginLosses) {
    const model = new Svm(one, one, { loss, l2: 0 })
    const out = new Float32Array(2).fill(7)
    t.is(model.gradient(Float32Array.of(1, 0), 0, Uint32Array.of(0, 1), out), 0)
    t.deepEqual(out, Float32Array.of(0, 0))
    t.deepEqual(model.evaluate(Float32Array.of(1000, 0)), { loss: 0, accuracy: 1 })
    t.deepEqual(model.evaluate(new Float32Array(2)), { loss: 1, accuracy: 0.5 })
  }
})

test('SVM: numbers, one class and an impossible l2 are refused', (t) => {
  const samples = drawSamples(1, 2, 2, 2)
  const build = (own: Partial<Samples>, l2: number) => () =>
    new Svm({ ...samples, ...own }, samples, { loss: 'hinge', l2 })
  t.throws(build({ classes: undefined }, 0), { instanceOf: InputError, message: /no classes, .* two or more/ })
  t.throws(build({ classes: 1 }, 0), { instanceOf: InputError, message: /has 1 class, .* two or more/ })
  t.throws(build({}, Number.NaN), { instanceOf: InputError, message: /l2 is NaN/ })
})
