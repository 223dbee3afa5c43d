import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { loadLocalData, type LocalDataOptions, signatureOf } from '@murmuration/data'
import { loadTask, taskRecords } from '@murmuration/tasks'
import { sizeOf, tensorsOf } from '@murmuration/vectors'
import test from 'ava'
import type { ModelDescription } from '../model.js'
import { cnnRecord, mlpRecord } from '../records.js'
import { tensorflow as tf } from '../tensorflow.js'
import { renamed } from './names.js'
import { TrainedModel } from './trained-model.js'

const sharing = { partition: { kind: 'equal' }, testFraction: 0.3, peers: ['a', 'b'], seed: 2 } as const
const digits: LocalDataOptions = { data: { kind: 'digits', samples: 100, size: 10 }, ...sharing }
const gaussians: LocalDataOptions = { data: { kind: 'gaussians', samples: 100, features: 5 }, ...sharing }
const records = [mlpRecord, cnnRecord, ...taskRecords].filter(({ network }) => network !== undefined)

/** A model with parameters without symmetries, and the description from its task. */
async function trained(kind: string, given: object = {}) {
  const record = records.find((each) => each.kind === kind)
  if (record?.network === undefined) throw new Error(kind)
  const options = record.options.parse(given) as never
  const localData = kind === 'logistic' ? gaussians : digits
  const task = await loadTask({ module: record.module, options: record.given(options, localData) })
  const initial = await task.initialise(1).run()
  const parameters = initial.map((value, k) => value + 0.1 * Math.sin(k))
  const { loss, accuracy } = await task.evaluate(parameters).run()
  const { test: samples } = await loadLocalData(localData)
  const network = record.network(options, tensorsOf(task.schema, parameters), {
    inputs: sizeOf(samples.inputShape),
    seed: sharing.seed
  })
  const { signature = signatureOf(samples) } = task
  const model = await TrainedModel.of({
    model: network.model as ModelDescription,
    tensors: network.tensors,
    signature
  })
  return { model, loss, accuracy, samples }
}

const cases = [
  ...records.map(({ kind }) => ({ name: kind, kind, given: {} })),
  { name: 'svm with Fourier features', kind: 'svm', given: { features: { fourier: 50, gamma: 0.05 } } }
]
for (const { name, kind, given } of cases) {
  test.serial(
    `${name}: the probabilities are those by which the task counts its loss; the layers format gives the same`,
    async (t) => {
      const { model, loss, accuracy, samples } = await trained(kind, given)
      const probabilities = await model.predict(samples.inputs)
      const classes = probabilities.length / samples.count
      const logarithms = Array.from(samples.targets, (target, k) => Math.log(probabilities[classes * k + target]))
      const mean = -logarithms.reduce((sum, each) => sum + each, 0) / samples.count
      // The loss of an SVM is that of margins, of which only the order is that of the probabilities.
      if (kind !== 'svm') t.true(Math.abs(mean - loss) < 1e-5, `${mean}, not ${loss}`)
      const right = samples.targets.filter((target, k) => {
        const own = probabilities.subarray(classes * k, classes * (k + 1))
        return own.indexOf(Math.max(...own)) === target
      })
      t.is(right.length / samples.count, accuracy ?? 0)

      const { model: json, weights } = await model.layers({ run: kind })
      const { modelTopology, weightsManifest, userDefinedMetadata } = JSON.parse(json) as never
      const specs = (weightsManifest as [{ weights: [{ name: string }] }])[0].weights
      t.deepEqual(userDefinedMetadata, { run: kind })
      const artifacts = { modelTopology, weightSpecs: specs as never, weightData: Uint8Array.from(weights).buffer }
      const loaded = await tf.loadLayersModel(tf.io.fromMemory(artifacts))
      const outputs = loaded.predict(tf.tensor(samples.inputs, [samples.count, ...samples.inputShape]))
      const found = await (outputs as ReturnType<typeof tf.tensor>).data()
      t.true(probabilities.every((value, k) => Math.abs(value - found[k]) < 1e-6))
      t.deepEqual(
        model.tensors().map(({ name }) => name),
        specs.map(({ name }) => name)
      )
      t.true(
        specs.every(({ name }) => /^[a-z0-9_]+\/[a-z_]+$/.test(name)),
        specs.map(({ name }) => name).join()
      )
    }
  )
}

test.serial('docs/use/commands.md says how an exported model is loaded in Node', async (t) => {
  const { model, samples } = await trained('mlp')
  const folder = await mkdtemp(join(tmpdir(), 'murmur-exported-'))
  const { model: json, weights } = await model.layers({})
  await writeFile(join(folder, 'model.json'), json)
  await writeFile(join(folder, 'weights.bin'), weights)
  const text = readFileSync(new URL('../../../../docs/use/commands.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n(const json = [^`]*)```/.exec(text) ?? []
  const body = `return (async () => { ${code.replaceAll("'exported/", `'${folder}/`)}; return model })()`
  // oxlint-disable-next-line typescript/no-implied-eval
  const load = new Function('tf', 'readFileSync', body) as (
    ...given: unknown[]
  ) => ReturnType<typeof tf.loadLayersModel>
  const loaded = await load(tf, readFileSync)
  const outputs = loaded.predict(tf.tensor(samples.inputs, [samples.count, ...samples.inputShape]))
  const found = await (outputs as ReturnType<typeof tf.tensor>).data()
  t.true((await model.predict(samples.inputs)).every((value, k) => Math.abs(value - found[k]) < 1e-6))
})

test('tensors are found by name and shape in any order, and those of another model are refused', async (t) => {
  const signature = signatureOf({ inputShape: [3], targetShape: [], classes: 2 })
  const model = { kind: 'mlp', hidden: [4] } as const
  const dense = (place: number, shape: readonly number[]) => ({
    name: `${place}/Dense/${shape.length === 1 ? 'bias' : 'kernel'}`,
    shape,
    values: new Float32Array(shape.reduce((product, extent) => product * extent, 1))
  })
  const tensors = [dense(1, [3, 4]), dense(1, [4]), dense(2, [4, 2]), dense(2, [2])]
  await t.notThrowsAsync(TrainedModel.of({ model, signature, tensors: tensors.toReversed() }))
  const others = [
    { tensors: tensors.slice(0, 3), message: /^has no other tensor \(24 .*; the task has 2\/Dense\/bias \[2\] \(26\)/ },
    {
      tensors: tensors.with(0, dense(1, [4, 3])),
      message: /^has 1\/Dense\/kernel \[4, 3\] .* has 1\/Dense\/kernel \[3, 4\]/
    },
    { tensors: [dense(0, [3, 4]), ...tensors.slice(1)], message: /^has 0\/Dense\/kernel \[3, 4\] / },
    { tensors: [...tensors, dense(3, [1])], message: /^has 3\/Dense\/bias \[1\] .*; the task has no other tensor/ }
  ]
  for (const { tensors, message } of others)
    await t.throwsAsync(TrainedModel.of({ model, signature, tensors }), { instanceOf: InputError, message })
})

test('only names that were made up are changed', (t) => {
  const names = new Map([['dense_Dense7', 'dense']])
  t.deepEqual(
    renamed({ name: 'dense_Dense7', nodes: [['dense_Dense7', 0]], activation: 'relu', units: 7, bias: null }, names),
    {
      name: 'dense',
      nodes: [['dense', 0]],
      activation: 'relu',
      units: 7,
      bias: null
    }
  )
})
