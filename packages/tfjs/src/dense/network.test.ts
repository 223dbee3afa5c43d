import type { Samples } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import { engine } from '@tensorflow/tfjs-core'
import test from 'ava'
import fc from 'fast-check'
import { chooseBackend } from '../backend.js'
import { lossFor } from '../loss.js'
import { tensorflow as tf } from '../tensorflow.js'
import { TfjsTask } from '../tfjs-task.js'
import { runtimeOf, Scratch } from '../wasm/runtime.js'
import { activationNames } from './activations.js'
import type { DenseLayer } from './layers.js'
import { DenseNetwork } from './network.js'
import { floatReference } from './reference.test.support.js'

interface Given {
  readonly layers: readonly DenseLayer[]
  readonly classes: number | undefined
  readonly rows: number
  readonly seed: number
}

const width = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(32, 40, 300))
const activation = fc.constantFrom(...activationNames)
const hidden = fc.array(fc.record({ units: width, hasBias: fc.boolean(), activation }), { maxLength: 3 })

/**
 * A stack of layers, a batch, and the kind of the last layer's outputs: classes by a softmax or without one, or real
 * values.
 */
const given: fc.Arbitrary<Given> = fc
  .record({
    inputs: width,
    hidden,
    last: fc.record({ units: fc.integer({ min: 1, max: 12 }), hasBias: fc.boolean(), activation }),
    kind: fc.constantFrom('values', 'logits', 'softmax'),
    rows: fc.integer({ min: 1, max: 70 }),
    seed: fc.nat()
  })
  .map(({ inputs, hidden, last, kind, rows, seed }) => {
    const units = kind === 'values' ? last.units : last.units + 1
    const end = { ...last, units, activation: kind === 'softmax' ? ('softmax' as const) : last.activation }
    const layers = [...hidden, end].map((layer, place) => ({
      ...layer,
      inputs: place === 0 ? inputs : hidden[place - 1].units
    }))
    return { layers, classes: kind === 'values' ? undefined : units, rows, seed }
  })

/** Samples and parameters for it, drawn from the seed; one of every three samples is used. */
function drawn({ layers, classes, rows, seed }: Given) {
  const random = createRandom(seed, 'network')
  const numbers = (length: number, size: number) =>
    Float32Array.from({ length }, () => size * (2 * random.uniform() - 1))
  const inputs = layers[0].inputs
  const units = layers[layers.length - 1].units
  const count = 3 * rows
  const samples: Samples = {
    count,
    inputs: numbers(count * inputs, 1),
    inputShape: [inputs],
    targets:
      classes === undefined
        ? numbers(count * units, 1)
        : Float32Array.from({ length: count }, () => random.integer(classes)),
    targetShape: classes === undefined ? [units] : [],
    ...(classes === undefined ? {} : { classes })
  }
  const parameters = layers.flatMap(({ inputs, units, hasBias }) => [
    ...numbers(inputs * units, 2 / Math.sqrt(inputs)),
    ...numbers(hasBias ? units : 0, 1)
  ])
  const batch = Uint32Array.from({ length: rows }, (_, row) => (7 * row) % count)
  return { samples, parameters: Float32Array.from(parameters), batch }
}

async function networkOf({ layers, classes }: Given): Promise<DenseNetwork> {
  await chooseBackend('wasm')
  return new DenseNetwork(layers, classes, engine().findBackend('wasm') as BackendWasm)
}

/** A task over a TensorFlow.js model, which itself computes on the plain JavaScript backend. */
async function taskOf({ layers, classes }: Given, samples: Samples, choice: 'cpu' | 'wasm'): Promise<TfjsTask> {
  const backend = await chooseBackend(choice)
  const model = tf.sequential({
    layers: layers.map(({ inputs, units, hasBias: useBias, activation }) =>
      tf.layers.dense({ inputShape: [inputs], units, useBias, activation })
    )
  })
  return new TfjsTask({
    backend,
    localData: { train: samples, test: samples, shardSizes: [samples.count] },
    model,
    loss: lossFor(model, classes),
    hasOwnLoss: false,
    isLanguageModel: false,
    keepWeights: false,
    random: createRandom(1, 'draws'),
    about: {}
  })
}

/** The sums before a relu may be off by this: nearer to 0 its slope may be 0 or 1. */
const rounding = 1e-5

/** The largest difference of two vectors, relative to the largest number of the second. */
function distance(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  const all = Array.from(expected)
  const largest = all.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3)
  return all.reduce((most, value, place) => Math.max(most, Math.abs(found[place] - value)), 0) / largest
}

test.serial('loss and gradient are within 1e-5 of those in float64', async (t) => {
  await fc.assert(
    fc.asyncProperty(given, async (each) => {
      const { samples, parameters, batch } = drawn(each)
      const out = new Float32Array(parameters.length).fill(Number.NaN)
      const loss = (await networkOf(each)).gradient(parameters, samples, batch, out)
      const expected = floatReference(each, parameters, samples, batch)
      fc.pre(expected.kink > rounding)
      return (
        Math.abs(loss - expected.loss) <= 1e-5 * Math.max(1, expected.loss) && distance(out, expected.gradient) < 1e-5
      )
    }),
    { numRuns: 100 }
  )
  t.pass()
})

test.serial("loss, gradient and evaluation are TensorFlow.js' own", async (t) => {
  await fc.assert(
    fc.asyncProperty(given, async (each) => {
      const { samples, parameters, batch } = drawn(each)
      fc.pre(floatReference(each, parameters, samples, batch).kink > rounding)
      const outcome = async (choice: 'cpu' | 'wasm') => {
        const task = await taskOf(each, samples, choice)
        const { loss, vector } = await task.gradient(parameters, batch).run()
        return { loss, vector: vector.slice(), evaluation: await task.evaluate(parameters).run() }
      }
      const direct = await outcome('wasm')
      const own = await outcome('cpu')
      const isNear = (found: number, expected: number) => Math.abs(found - expected) <= 1e-5 * Math.max(1, expected)
      return (
        isNear(direct.loss, own.loss) &&
        distance(direct.vector, own.vector) < 3e-5 &&
        isNear(direct.evaluation.loss, own.evaluation.loss) &&
        direct.evaluation.accuracy === own.evaluation.accuracy
      )
    }),
    { numRuns: 40 }
  )
  t.pass()
})

const wide: Given = {
  layers: [
    { inputs: 300, units: 40, hasBias: true, activation: 'tanh' },
    { inputs: 40, units: 10, hasBias: true, activation: 'linear' }
  ],
  classes: 10,
  rows: 23,
  seed: 5
}

test.serial('a gradient has the same bits on every machine, and whatever was computed before it', async (t) => {
  const large = wide
  const small = { ...wide, rows: 3 }
  const hashes = []
  for (const each of [large, small, large]) {
    const { samples, parameters, batch } = drawn(each)
    const out = new Float32Array(parameters.length)
    const loss = (await networkOf(each)).gradient(parameters, samples, batch, out)
    hashes.push(hashVector(Float32Array.of(loss, ...out)))
  }
  t.deepEqual(hashes, [largeHash, smallHash, largeHash])
})

const largeHash = 'bf89f68be24461d4ab68ee84716150c365918d5c07b9a214cc2e47fbbb663d4b'
const smallHash = '3b27dca45a8d7c2f7db0affbb9a98d0f53cdd4979d6967d2bf4fbbfaaac2086b'

test.serial('memory that grows takes the place of what was there', async (t) => {
  await chooseBackend('wasm')
  const runtime = runtimeOf(engine().findBackend('wasm') as BackendWasm)
  const scratch = new Scratch(runtime)
  const before = runtime.memory.buffer.byteLength
  for (let mebibytes = 1; mebibytes <= 20; mebibytes++) {
    const arrays = scratch.arrays([5, mebibytes * 2 ** 18, 7])
    t.deepEqual(
      arrays.map(({ length, byteOffset }) => [length, byteOffset % 64]),
      [
        [5, 0],
        [mebibytes * 2 ** 18, 0],
        [7, 0]
      ]
    )
    t.is(arrays[2].byteOffset - arrays[1].byteOffset, mebibytes * 2 ** 20)
  }
  const grown = runtime.memory.buffer.byteLength - before
  t.true(grown < 80 * 2 ** 20, `${grown} bytes for arrays of 20 MiB`)
})

test.serial('thousands of gradients take no more memory than the first', async (t) => {
  const { samples, parameters, batch } = drawn(wide)
  const network = await networkOf(wide)
  const out = new Float32Array(parameters.length)
  const { memory } = runtimeOf(engine().findBackend('wasm') as BackendWasm)
  const bytes = () => memory.buffer.byteLength
  network.gradient(parameters, samples, batch, out)
  const before = [bytes(), engine().memory().numTensors]
  for (let step = 0; step < 2000; step++) network.gradient(parameters, samples, batch.subarray(0, 1 + (step % 23)), out)
  t.deepEqual([bytes(), engine().memory().numTensors], before)
})

// A weight of the first layer, and a bias of the last one, which no activation bounds.
for (const [place, number] of [
  [0, Number.NaN],
  [-1, Number.NaN],
  [-1, Number.POSITIVE_INFINITY],
  [-1, Number.NEGATIVE_INFINITY]
]) {
  const where = place === 0 ? 'first' : 'last'
  test.serial(
    `a ${where} parameter of ${number} gives a loss that is not finite, as it does in plain JavaScript`,
    async (t) => {
      for (const activation of ['relu', 'tanh'] as const) {
        for (const classes of [10, undefined]) {
          const each = { ...wide, classes, layers: [{ ...wide.layers[0], activation }, wide.layers[1]] }
          const { samples, parameters, batch } = drawn(each)
          parameters[(parameters.length + place) % parameters.length] = number
          for (const backend of ['wasm', 'cpu'] as const) {
            const { loss } = await (await taskOf(each, samples, backend)).gradient(parameters, batch).run()
            t.false(Number.isFinite(loss), `${activation}, ${classes}, ${backend}: ${loss}`)
          }
        }
      }
    }
  )
}

test.serial(
  'a probability below 1e-7 counts as that and has no gradient, but where the model gives logits',
  async (t) => {
    const samples = {
      count: 1,
      inputs: Float32Array.of(1),
      inputShape: [1],
      targets: Float32Array.of(1),
      targetShape: [],
      classes: 2
    }
    for (const [activation, loss, slope] of [
      ['softmax', -Math.log(1e-7), 0],
      ['linear', 40, 1]
    ] as const) {
      const each = { ...wide, layers: [{ inputs: 1, units: 2, hasBias: false, activation }], classes: 2 }
      for (const backend of ['wasm', 'cpu'] as const) {
        const task = await taskOf(each, samples, backend)
        const found = await task.gradient(Float32Array.of(20, -20), Uint32Array.of(0)).run()
        t.true(Math.abs(found.loss - loss) < 1e-4, `${activation}, ${backend}: ${found.loss}`)
        t.true(distance(found.vector, [slope, -slope]) < 1e-6, `${activation}, ${backend}: ${found.vector}`)
      }
    }
  }
)

test.serial('a batch of another length than the parameters say is refused', async (t) => {
  const { samples, parameters, batch } = drawn(wide)
  const network = await networkOf(wide)
  t.throws(() => network.gradient(parameters.subarray(1), samples, batch, parameters), {
    message: /parameters, expected/
  })
})
