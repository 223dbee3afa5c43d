import { InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { hashVector, lengthOf, unpack } from '@murmuration/vectors'
import { memory } from '@tensorflow/tfjs-core'
import test, { type ExecutionContext } from 'ava'
import type { TfjsTaskOptions } from './task.js'
import {
  bestBackend,
  createTask,
  type Fixture,
  moduleOf,
  sequential,
  localData,
  taskOf,
  testedBackend
} from './task.test.support.js'

const batch = Uint32Array.of(0, 3, 5, 11, 30)

/** Compares 25 elements of the gradient with central differences of the loss, which only smooth models allow. */
async function matchesDifferences(t: ExecutionContext, task: Task): Promise<void> {
  const at = await task.initialise(3).run()
  const gradient = Float32Array.from((await task.gradient(at, batch).run()).vector)
  const random = createRandom(5, 'elements')
  const h = 1e-2
  t.true(gradient.some((value) => value !== 0))
  for (let trial = 0; trial < 25; trial++) {
    const k = random.integer(at.length)
    const lossAt = async (shift: number) => {
      const moved = at.slice()
      moved[k] += shift
      return (await task.gradient(moved, batch).run()).loss
    }
    const slope = ((await lossAt(h)) - (await lossAt(-h))) / (2 * h)
    t.true(Math.abs(slope - gradient[k]) < 2e-3 + 0.02 * Math.abs(slope), `element ${k}: ${gradient[k]}, not ${slope}`)
  }
}

const models: Readonly<Record<string, [string, Fixture?]>> = {
  'dense layers': ["l.flatten(), l.dense({ units: 8, activation: 'tanh' }), l.dense({ units: classes })"],
  'probabilities from a softmax': ["l.flatten(), l.dense({ units: classes, activation: 'softmax' })"],
  'convolutions': [
    "l.conv2d({ filters: 3, kernelSize: 3, strides: 2, padding: 'same', activation: 'tanh' }), l.conv2d({ filters: 2, kernelSize: 2, activation: 'tanh' }), l.flatten(), l.dense({ units: classes })"
  ],
  'transposed convolutions': [
    "l.conv2dTranspose({ filters: 3, kernelSize: 3, strides: 2, activation: 'tanh' }), l.flatten(), l.dense({ units: classes })"
  ],
  'separable convolutions and average pooling': [
    "l.separableConv2d({ filters: 3, kernelSize: 3, depthMultiplier: 2, padding: 'same', activation: 'tanh' }), l.averagePooling2d({ poolSize: 2, padding: 'same' }), l.flatten(), l.dense({ units: classes })"
  ],
  'dilated convolutions': [
    "l.conv2d({ filters: 2, kernelSize: 2, dilationRate: [2, 1], padding: 'same', activation: 'tanh' }), l.conv2d({ filters: 2, kernelSize: [2, 3], dilationRate: 2 }), l.flatten(), l.dense({ units: classes })"
  ],
  'dilated convolutions in one dimension': [
    "l.reshape({ targetShape: [6, 6] }), l.conv1d({ filters: 3, kernelSize: 2, dilationRate: 3, activation: 'tanh' }), l.flatten(), l.dense({ units: classes })"
  ],
  'dilated convolutions by channel': [
    "l.separableConv2d({ filters: 3, kernelSize: 2, depthMultiplier: 2, dilationRate: 3, padding: 'same' }), l.flatten(), l.dense({ units: classes })"
  ],
  'layer normalisation': ['l.flatten(), l.dense({ units: 6 }), l.layerNormalization(), l.dense({ units: classes })'],
  'embeddings and an LSTM': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.lstm({ units: 3 }), l.dense({ units: classes })',
    { ids: true }
  ],
  'a bidirectional GRU': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.bidirectional({ layer: l.gru({ units: 3 }) }), l.dense({ units: classes })',
    { ids: true }
  ],
  'real values': ["l.flatten(), l.dense({ units: 4, activation: 'tanh' }), l.dense({ units: 1 })", { classes: 0 }]
}

for (const [title, [layers, fixture]] of Object.entries(models)) {
  test.serial(`the gradient is the slope of the loss: ${title}`, async (t) => {
    await matchesDifferences(t, await taskOf(sequential(layers), fixture))
  })

  test.serial(`the gradient is that of plain JavaScript: ${title}`, async (t) => {
    await matchesPlainJavaScript(t, (backend) => taskOf(sequential(layers), { ...fixture, backend }))
  })
}

test.serial('the gradient is that of plain JavaScript: the small convolutional network', async (t) => {
  await matchesPlainJavaScript(t, (backend) =>
    createTask({ localData: localData(20), model: { kind: 'cnn', filters: [4, 6] }, backend })
  )
})

const gpt: TfjsTaskOptions = {
  localData: { ...localData(0), data: { kind: 'sentences', samples: 20 }, context: 6 },
  model: { kind: 'gpt', layers: 1, width: 8, heads: 2 }
}

test.serial('the gradient is that of plain JavaScript: a small GPT', async (t) => {
  await matchesPlainJavaScript(t, (backend) => createTask({ ...gpt, backend }))
})

test.serial('the text that a small GPT generates is that of plain JavaScript', async (t) => {
  const textOn = async (backend: TfjsTaskOptions['backend']) => {
    const task = await createTask({ ...gpt, backend })
    return task.generate?.(await task.initialise(1).run(), 5).run()
  }
  const text = await textOn('cpu')
  t.is(text?.length, 160)
  t.is(await textOn(testedBackend), text)
})

/**
 * Backends add in other orders. Each sum has at most a few hundred terms of about 1, of which float32 rounds each at
 * 6e-8.
 */
async function matchesPlainJavaScript(
  t: ExecutionContext,
  build: (backend: TfjsTaskOptions['backend']) => Promise<Task>
): Promise<void> {
  const of = async (task: Task) => {
    const at = await task.initialise(1).run()
    const { loss, vector } = await task.gradient(at, Uint32Array.of(0, 1, 2, 3)).run()
    return { at: hashVector(at), loss, vector: Float32Array.from(vector), evaluation: await task.evaluate(at).run() }
  }
  const tested = await of(await build(testedBackend))
  const cpu = await of(await build('cpu'))
  t.is(tested.at, cpu.at)
  t.true(Math.abs(tested.loss - cpu.loss) < 1e-5, `a loss of ${tested.loss}, not ${cpu.loss}`)
  for (const [k, value] of tested.vector.entries())
    t.true(Math.abs(value - cpu.vector[k]) < 1e-5, `element ${k}: ${value}, not ${cpu.vector[k]}`)
  t.true(Math.abs(tested.evaluation.loss - cpu.evaluation.loss) < 1e-5)
  t.is(tested.evaluation.accuracy, cpu.evaluation.accuracy)
}

test.serial('two tasks of one process have the same schema, and names that do not count the process', async (t) => {
  const options: TfjsTaskOptions = { localData: localData(20), model: { kind: 'mlp', hidden: [5] } }
  const first = await createTask(options)
  const second = await createTask(options)
  t.deepEqual(first.schema, second.schema)
  t.deepEqual(first.schema, [
    { name: '1/Dense/kernel', shape: [784, 5] },
    { name: '1/Dense/bias', shape: [5] },
    { name: '2/Dense/kernel', shape: [5, 10] },
    { name: '2/Dense/bias', shape: [10] }
  ])
})

async function descend(task: Task, steps: number, rate: number, size = 32): Promise<Float32Array> {
  const at = await task.initialise(7).run()
  const random = createRandom(1, 'batches')
  for (let step = 0; step < steps; step++) {
    const numbers = Uint32Array.from({ length: size }, () => random.integer(task.samples))
    const { vector } = await task.gradient(at, numbers).run()
    for (let i = 0; i < at.length; i++) at[i] -= rate * vector[i]
  }
  return at
}

test.serial('a hundred gradients and some evaluations leave no tensors behind', async (t) => {
  const task = await taskOf(
    sequential(
      "l.conv2d({ filters: 2, kernelSize: 3, activation: 'relu' }), l.batchNormalization(), l.maxPooling2d({ poolSize: 2 }), l.flatten(), l.dropout({ rate: 0.1 }), l.dense({ units: classes })"
    )
  )
  const at = await descend(task, 2, 0.1, 2)
  await task.evaluate(at).run()
  const before = memory()
  await descend(task, 100, 0.01, 2)
  for (let k = 0; k < 10; k++) await task.evaluate(at).run()
  const after = memory()
  t.is(after.numTensors, before.numTensors)
  t.is(after.numDataBuffers, before.numDataBuffers)
  t.is(after.numBytes, before.numBytes)
})

test.serial('plain gradient descent learns digits', async (t) => {
  const task = await createTask({ localData: localData(600), model: { kind: 'cnn' } })
  const start = await task.evaluate(await task.initialise(7).run()).run()
  const end = await task.evaluate(await descend(task, 120, 0.1)).run()
  t.true((start.accuracy ?? 1) < 0.4)
  t.true((end.accuracy ?? 0) > 0.7, `accuracy ${end.accuracy}`)
  t.true(end.loss < start.loss / 2)
})

test.serial('an evaluation in chunks is the mean over all test samples', async (t) => {
  // Outputs are [x, 0], so that the loss of class 0 is log(1 + e^−x), and 0 is right where x > 0.
  const path = await moduleOf(`
    const inputs = Float32Array.from({ length: 1400 }, (_, i) => Math.sin(i))
    export const keepWeights = true
    export const createModel = (tf, { inputShape }) => tf.sequential({ layers: [
      tf.layers.dense({ inputShape, units: 2, useBias: false, weights: [tf.tensor2d([1, 0], [1, 2])] })
    ] })
    export const loadSamples = () => ({ inputs, inputShape: [1], targets: new Float32Array(1400), classes: 2 })`)
  const options = { ...localData(2), testFraction: 0.5 }
  const task = await createTask({ localData: options, model: { kind: 'module', path } })
  const trainers = Array.from({ length: task.samples }, (_, index) => index)
  const at = await task.initialise(1).run()
  t.deepEqual([...at], [1, 0])
  const { loss, accuracy } = await task.evaluate(at).run()
  const train = await task.gradient(at, Uint32Array.from(trainers)).run()
  const values = Array.from({ length: 1400 }, (_, i) => Math.fround(Math.sin(i)))
  const total = values.reduce((sum, x) => sum + Math.log1p(Math.exp(-x)), 0)
  t.true(Math.abs(700 * loss + 700 * train.loss - total) < 1e-3)
  t.true(accuracy !== undefined && accuracy > 0.4 && accuracy < 0.6)
  t.is(((accuracy ?? 0) * 700) % 1, 0)
})

test.serial('fine-tuning keeps what is loaded or set, and draws new layers from the seed of the run', async (t) => {
  const base = `const l = tf.layers, ramp = (...shape) => tf.range(0, shape.reduce((a, b) => a * b, 1)).reshape(shape)
      const trained = tf.sequential({ layers: [l.flatten({ inputShape }), l.dense({ units: 2 })] })`
  const ways = {
    'a layer of another model': `trained.setWeights([ramp(36, 2), ramp(2)])
      return tf.sequential({ layers: [...trained.layers, l.dense({ units: classes, kernelInitializer: 'heNormal' })] })`,
    'weights of a layer': `return tf.sequential({ layers: [
        l.flatten({ inputShape }), l.dense({ units: 2, weights: [ramp(36, 2), ramp(2)] }), l.dense({ units: classes })] })`,
    'a variable that is assigned': `trained.weights[0].read().assign(ramp(36, 2))
      trained.weights[1].read().assign(ramp(2))
      trained.add(l.dense({ units: classes }))
      return trained`
  }
  for (const [way, steps] of Object.entries(ways)) {
    const source = (keeps: string) => `${keeps}
      export async function createModel(tf, { inputShape, classes }) {
        ${base}
        ${steps}
      }`
    const first = async (seed: number, keeps = 'export const keepWeights = true') =>
      (await taskOf(source(keeps))).initialise(seed).run()
    const one = await first(1)
    const again = await first(1)
    const other = await first(2)
    const drawn = await first(1, '')
    t.deepEqual(one, again, way)
    t.deepEqual([...one.subarray(0, 74)], [...Array.from({ length: 72 }, (_, k) => k), 0, 1], way)
    t.deepEqual(one.subarray(74), drawn.subarray(74), way)
    t.notDeepEqual(one.subarray(74, 80), other.subarray(74, 80), way)
    t.deepEqual([...one.subarray(80)], [0, 0, 0], way)
  }
})

test.serial('constraints of trained weights are refused, and those of frozen ones change nothing', async (t) => {
  const constrained = [
    [
      'l.flatten(), l.dense({ units: classes, kernelConstraint: tf.constraints.maxNorm({ maxValue: 0.1 }) })',
      '2/Dense/kernel',
      'MaxNorm'
    ],
    ["l.flatten(), l.dense({ units: classes, biasConstraint: 'nonNeg' })", '2/Dense/bias', 'NonNeg'],
    [
      "l.reshape({ targetShape: [6, 6] }), l.lstm({ units: classes, recurrentConstraint: 'unitNorm' })",
      '2/LSTM/recurrent_kernel',
      'UnitNorm'
    ],
    [
      "l.reshape({ targetShape: [6, 6] }), l.timeDistributed({ layer: l.dense({ units: 2, kernelConstraint: 'minMaxNorm' }) }), l.flatten(), l.dense({ units: classes })",
      '2/TimeDistributed/kernel',
      'MinMaxNorm'
    ]
  ]
  for (const [layers, weight, name] of constrained)
    await t.throwsAsync(taskOf(sequential(layers)), {
      instanceOf: InputError,
      message: `the model's weight ${weight} has the constraint ${name}, expected none: it would not hold for what peers average and save; remove it, or use a regulariser`
    })
  const frozen = await taskOf(
    sequential(
      "l.flatten(), l.dense({ units: 2, trainable: false, kernelInitializer: 'ones', kernelConstraint: 'nonNeg' }), l.dense({ units: classes })"
    )
  )
  const at = (await frozen.initialise(1).run()).map((value, k) => (k < 72 ? -1 : value))
  const other = await taskOf(
    sequential(
      "l.flatten(), l.dense({ units: 2, trainable: false, kernelInitializer: 'ones' }), l.dense({ units: classes })"
    )
  )
  t.is((await frozen.evaluate(at).run()).loss, (await other.evaluate(at).run()).loss)
})

test.serial("a module's own loss is what is trained", async (t) => {
  const source = `${sequential('l.flatten(), l.dense({ units: 2 })')}
    export const loss = (tf, outputs, targets) => tf.mean(tf.square(tf.sub(outputs, 3)))`
  const task = await taskOf(source)
  const at = await descend(task, 300, 0.1)
  const { loss } = await task.gradient(at, Uint32Array.of(0, 1, 2, 3)).run()
  t.true(loss < 0.05, `the loss is ${loss}`)
  t.is((await task.evaluate(at).run()).accuracy, undefined)
})

test.serial("the regularisers of layers add to the training loss, not to the evaluation's", async (t) => {
  const layers = (more: string) => sequential(`l.flatten(), l.dense({ units: classes${more} })`)
  const plain = await taskOf(layers(''))
  const penalised = await taskOf(layers(', kernelRegularizer: tf.regularizers.l2({ l2: 0.1 })'))
  const at = await plain.initialise(1).run()
  const { loss } = await plain.gradient(at, batch).run()
  const [kernel] = unpack(plain.schema, at)
  const penalty = 0.1 * kernel.reduce((sum, value) => sum + value ** 2, 0)
  t.true(Math.abs((await penalised.gradient(at, batch).run()).loss - loss - penalty) < 1e-5)
  const evaluation = await penalised.evaluate(at).run()
  const expected = await plain.evaluate(at).run()
  t.true(Math.abs(evaluation.loss - expected.loss) < 1e-6)
  t.is(evaluation.accuracy, expected.accuracy)
})

test.serial('the errors of a user are reported with what was expected', async (t) => {
  const fails = (source: string, message: RegExp) => t.throwsAsync(taskOf(source), { instanceOf: InputError, message })
  await fails('export const model = 1', /exports loadSamples, model, expected a function createModel\(tf, /)
  await fails('export const createModel = 1', /a function createModel/)
  await fails('export const createModel = () => 1', /does not return a tf\.LayersModel/)
  await fails('export const createModel = () => { throw new Error("no luck") }', /createModel .* fails: no luck/)
  await fails(
    sequential('l.flatten(), l.dense({ units: 7 })'),
    /outputs of shape \[7\], expected \[3\], a number for each class/
  )
  await fails(
    `${sequential('l.flatten()')}\nexport const loss = (tf, x) => tf.mean(x)`,
    /no weights that can be trained/
  )
  await fails(
    sequential('l.depthwiseConv2d({ kernelSize: 2, dilationRate: 2 }), l.flatten(), l.dense({ units: classes })'),
    /dilationRate 2, 2, which TensorFlow\.js does not apply; use separableConv2d/
  )
  await fails(`${sequential('l.flatten()')}\nexport const loss = 3`, /"loss" .* is not a function/)
  const options = (model: unknown) => ({ localData: localData(20), model }) as TfjsTaskOptions
  const rejects = (model: unknown, message: RegExp) =>
    t.throwsAsync(createTask(options(model)), { instanceOf: InputError, message })
  await rejects({ kind: 'module', path: './absent.mjs' }, /\.\/absent\.mjs cannot be loaded/)
  await rejects({ kind: 'mlp', hidden: [0] }, /model\.hidden is \[0\]/)
  await rejects({ kind: 'mlp', hidden: [2], activation: 'loud' }, /"loud", expected one of relu/)
  await rejects({ kind: 'forest' }, /"forest", expected one of mlp, cnn, gpt, module/)
})

test.serial('the task says what it is', async (t) => {
  const task = await createTask({ localData: localData(20), model: { kind: 'mlp', hidden: [5] } })
  t.is(task.about.backend, testedBackend === 'auto' ? bestBackend : testedBackend)
  t.is(task.about.model, 'mlp 784-5-10, 3,985 parameters')
  t.is(lengthOf(task.schema), 3985)
  t.is(task.samples, 16)
})
