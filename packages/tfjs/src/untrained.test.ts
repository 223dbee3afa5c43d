import type { Schema, Task } from '@murmuration/core'
import { localDataOf } from '@murmuration/data'
import { offsetsOf, sizeOf, unpack } from '@murmuration/vectors'
import test from 'ava'
import { sequential, localData, taskOf } from './task.test.support.js'

const kindsOf = (schema: Schema) => Object.fromEntries(schema.map(({ name, kind = 'trained' }) => [name, kind]))

/**
 * A module that makes a model of a first dense layer, a batch normalisation and a last dense layer, and then runs
 * `code`.
 */
const withLayers = (code: string) => `export const createModel = (tf, { inputShape, classes }) => {
  const l = tf.layers
  const first = l.dense({ units: 4 }), norm = l.batchNormalization({ momentum: 0.9 }), last = l.dense({ units: classes })
  const model = tf.sequential({ layers: [l.inputLayer({ inputShape }), l.flatten(), first, norm, last] })
  ${code}
  return model
}`

const all = {
  '2/Dense/kernel': 'trained',
  '2/Dense/bias': 'trained',
  '3/BatchNormalization/gamma': 'trained',
  '3/BatchNormalization/beta': 'trained',
  '3/BatchNormalization/moving_mean': 'statistic',
  '3/BatchNormalization/moving_variance': 'statistic',
  '4/Dense/kernel': 'trained',
  '4/Dense/bias': 'trained'
}
const frozenFirst = { '2/Dense/kernel': 'frozen', '2/Dense/bias': 'frozen' }
const frozenNorm = {
  '3/BatchNormalization/gamma': 'frozen',
  '3/BatchNormalization/beta': 'frozen',
  '3/BatchNormalization/moving_mean': 'frozen',
  '3/BatchNormalization/moving_variance': 'frozen'
}

const freezings: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ['nothing', '', {}],
  ['a layer that is built', 'first.trainable = false', frozenFirst],
  ['a weight alone', 'first.weights[0].trainable = false', { '2/Dense/kernel': 'frozen' }],
  ['a batch normalisation', 'norm.trainable = false', frozenNorm],
  [
    'the scale alone of a batch normalisation',
    'norm.weights[0].trainable = false',
    { '3/BatchNormalization/gamma': 'frozen' }
  ],
  [
    'the whole model, and the last layer not',
    'model.trainable = false; model.trainable = true; first.trainable = norm.trainable = false',
    { ...frozenFirst, ...frozenNorm }
  ]
]

for (const [title, code, frozen] of freezings) {
  test.serial(`what is frozen has no gradient, and all other weights have one: ${title}`, async (t) => {
    const task = await taskOf(withLayers(code))
    t.deepEqual(kindsOf(task.schema), { ...all, ...frozen })
    for (const [name, values] of Object.entries(await gradientOf(task))) {
      const kind = kindsOf(task.schema)[name]
      // The bias before a batch normalisation changes nothing, so its gradient is 0, too.
      if (!name.endsWith('2/Dense/bias'))
        t.is(
          values.some((value) => value !== 0),
          kind !== 'frozen',
          name
        )
    }
  })
}

test.serial('a layer that is frozen before it is built, and a frozen model within the model, are frozen', async (t) => {
  const layers = 'l.flatten(), l.dense({ units: 4, trainable: false }), l.dense({ units: classes })'
  t.deepEqual(kindsOf((await taskOf(sequential(layers))).schema), {
    '2/Dense/kernel': 'frozen',
    '2/Dense/bias': 'frozen',
    '3/Dense/kernel': 'trained',
    '3/Dense/bias': 'trained'
  })
  const task = await taskOf(`export const createModel = (tf, { inputShape, classes }) => {
    const l = tf.layers
    const base = tf.sequential({ layers: [l.flatten({ inputShape }), l.dense({ units: 4 }), l.batchNormalization()] })
    base.trainable = false
    return tf.sequential({ layers: [base, l.dense({ units: classes })] })
  }`)
  t.deepEqual(Object.values(kindsOf(task.schema)), [...Array<string>(6).fill('frozen'), 'trained', 'trained'])
  t.regex(task.about.model, /Dense, 179 parameters, 15 of them trained$/)
})

test.serial(
  "in the gradient's place a moving statistic has the value that the batch gives, whatever its momentum",
  async (t) => {
    for (const momentum of [0, 0.5, 0.99]) {
      const task = await taskOf(
        sequential(`l.flatten(), l.batchNormalization({ momentum: ${momentum} }), l.dense({ units: classes })`)
      )
      t.deepEqual(
        task.schema.filter(({ kind }) => kind === 'statistic').map((tensor) => [tensor.name, tensor.momentum]),
        [
          ['2/BatchNormalization/moving_mean', momentum],
          ['2/BatchNormalization/moving_variance', momentum]
        ]
      )
      // An initial mean of 0 and variance of 1, so that rounding errors are those of numbers near 1, times 1 / (1 -
      // momentum).
      const { '2/BatchNormalization/moving_mean': mean, '2/BatchNormalization/moving_variance': variance } =
        await gradientOf(task)
      const columns = batchColumns()
      for (const [feature, column] of columns.entries()) {
        const center = column.reduce((sum, x) => sum + x, 0) / column.length
        const spread = column.reduce((sum, x) => sum + (x - center) ** 2, 0) / column.length
        t.true(Math.abs(mean[feature] - center) < 1e-4, `mean ${feature}: ${mean[feature]}, not ${center}`)
        t.true(Math.abs(variance[feature] - spread) < 1e-4, `variance ${feature}: ${variance[feature]}, not ${spread}`)
      }
    }
  }
)

test.serial('a frozen batch normalisation goes by its moving statistics in training, as in use', async (t) => {
  const task = await taskOf(withLayers('norm.trainable = false'))
  const start = await task.initialise(1).run()
  const numbers = (await taskOf(withLayers('norm.trainable = false'))).samples
  const { loss } = await task
    .gradient(
      start,
      Uint32Array.from({ length: numbers }, (_, k) => k)
    )
    .run()
  const gamma = offsetsOf(task.schema)[2]
  // Twice the scale, four times the variance: the same function, unless the batch's own variance is used.
  const scaled = start.map((value, k) => (k >= gamma && k < gamma + 4 ? 2 * value : value))
  const variance = offsetsOf(task.schema)[5]
  for (let k = variance; k < variance + 4; k++) scaled[k] = 4 * (scaled[k] + 1e-3) - 1e-3
  t.true(
    Math.abs(
      (
        await task
          .gradient(
            scaled,
            Uint32Array.from({ length: numbers }, (_, k) => k)
          )
          .run()
      ).loss - loss
    ) < 1e-5
  )
})

const batch = Uint32Array.of(0, 3, 5, 11, 30)

async function gradientOf(task: Task): Promise<Record<string, Float32Array>> {
  const { vector } = await task.gradient(await task.initialise(3).run(), batch).run()
  const parts = unpack(task.schema, vector.slice())
  return Object.fromEntries(
    task.schema.map(({ name, shape }, index) => [name, parts[index].subarray(0, sizeOf(shape))])
  )
}

/** The batch's values of every feature. */
function batchColumns(): number[][] {
  const inputs = Float32Array.from({ length: 40 * 36 }, (_, i) => Math.sin(i * i))
  const targets = Float32Array.from({ length: 40 }, (_, i) => i % 3)
  const { train } = localDataOf(
    { count: 40, inputs, inputShape: [6, 6, 1], targets, targetShape: [], classes: 3 },
    localData(2)
  )
  return Array.from({ length: 36 }, (_, feature) => Array.from(batch, (sample) => train.inputs[36 * sample + feature]))
}
