import { InputError, type Task } from '@murmuration/core'
import { loadLocalData, sentenceEntropy, signatureOf } from '@murmuration/data'
import { tensorsOf, unpack } from '@murmuration/vectors'
import test from 'ava'
import { broadcastNormalisation } from '../normalisation.js'
import type { TfjsTaskOptions } from '../task.js'
import { createTask } from '../task.test.support.js'
import { tensorflow as tf } from '../tensorflow.js'
import { TrainedModel } from '../use/trained-model.js'
import { gpt } from './gpt.js'
import { registerLayers } from './layers.js'

const localData = (samples: number, context: number): TfjsTaskOptions['localData'] => ({
  data: { kind: 'sentences', samples },
  context,
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  seed: 2
})
const size = { layers: 2, width: 8, heads: 2 }

test.serial('a place sees itself and those before it, and nothing after', async (t) => {
  const options = localData(10, 6)
  const task = await createTask({ localData: options, model: { kind: 'gpt', ...size } })
  const start = await task.initialise(1).run()
  const parameters = start.map((value, k) => value + 0.3 * Math.sin(k))
  const { train } = await loadLocalData(options as never)
  const signature = signatureOf(train)
  const model = await TrainedModel.of({
    model: { kind: 'gpt', ...size },
    signature,
    tensors: tensorsOf(task.schema, parameters)
  })
  const classes = train.classes ?? 0
  const input = Float32Array.of(3, 1, 4, 1, 5, 9)
  const outputs = await model.predict(input)
  for (let place = 0; place < 6; place++) {
    const other = await model.predict(input.with(place, (input[place] + 7) % classes))
    const changed = Array.from({ length: 6 }, (_, at) =>
      outputs.subarray(at * classes, (at + 1) * classes).some((value, k) => value !== other[at * classes + k])
    )
    t.deepEqual(
      changed,
      Array.from({ length: 6 }, (_, at) => at >= place)
    )
  }
})

test.serial(
  'the layers that an export puts next to the model load it in a TensorFlow.js that knows nothing of them',
  async (t) => {
    const options = localData(10, 6)
    const task = await createTask({ localData: options, model: { kind: 'gpt', ...size } })
    const parameters = (await task.initialise(1).run()).map((value, k) => value + 0.3 * Math.sin(k))
    const { test: samples } = await loadLocalData(options as never)
    const model = await TrainedModel.of({
      model: { kind: 'gpt', ...size },
      signature: signatureOf(samples),
      tensors: tensorsOf(task.schema, parameters)
    })
    const probabilities = await model.predict(samples.inputs)
    const { model: json, weights, layers = '' } = await model.layers({})
    t.notRegex(layers, /^import |sourceMappingURL/m)
    const { classNameMap } = tf.serialization.SerializationMap.getMap()
    for (const name of ['PositionEmbedding', 'CausalAttention']) t.true(Reflect.deleteProperty(classNameMap, name))
    const { modelTopology, weightsManifest } = JSON.parse(json) as never
    const load = () => {
      const [{ weights: weightSpecs }] = weightsManifest as [{ weights: never }]
      return tf.loadLayersModel(
        tf.io.fromMemory({ modelTopology, weightSpecs, weightData: Uint8Array.from(weights).buffer })
      )
    }
    await t.throwsAsync(load, { message: /Unknown layer: (PositionEmbedding|CausalAttention)/ })
    const exported = (await import(`data:text/javascript,${encodeURIComponent(layers)}`)) as {
      readonly registerLayers: typeof registerLayers
    }
    exported.registerLayers(tf)
    const outputs = (await load()).predict(tf.tensor(samples.inputs, [samples.count, 6])) as ReturnType<
      typeof tf.tensor
    >
    const found = await outputs.data()
    t.true(probabilities.every((value, k) => Math.abs(value - found[k]) < 1e-5))
    registerLayers(tf)
  }
)

/** Attention of one head in float64, as in the paper. */
function attended(x: number[][], { query, key, value, join }: Record<string, number[][]>): number[][] {
  const times = (a: number[][], b: number[][]) =>
    a.map((row) => b[0].map((_, c) => row.reduce((sum, each, k) => sum + each * b[k][c], 0)))
  const [q, k, v] = [query, key, value].map((weights) => times(x, weights))
  const mixed = q.map((row, place) => {
    const scores = k.slice(0, place + 1).map((other) => row.reduce((sum, each, c) => sum + each * other[c], 0))
    const weights = scores.map((score) => Math.exp(score / Math.sqrt(row.length)))
    const total = weights.reduce((sum, each) => sum + each)
    return row.map((_, c) => weights.reduce((sum, each, at) => sum + (each / total) * v[at][c], 0))
  })
  return times(mixed, join)
}

test.serial(
  'attention is softmax(Q Kᵀ / √d) V over the places up to its own (Vaswani et al. 2017, eq. 1)',
  async (t) => {
    await createTask({ localData: localData(10, 6), model: { kind: 'gpt', ...size } })
    const layer = registerLayers(tf).causalAttention({ heads: 1 })
    const length = 4
    const width = 3
    const numbers = (count: number, from: number) => Array.from({ length: count }, (_, k) => Math.sin(1.7 * (k + from)))
    const matrix = (flat: readonly number[]) =>
      Array.from({ length: flat.length / width }, (_, r) => flat.slice(r * width, (r + 1) * width))
    const x = numbers(length * width, 0)
    const names = ['query', 'key', 'value', 'join']
    const weights = names.map((_, n) => numbers(width * width, 20 * (n + 1)))
    layer.apply(tf.input({ shape: [length, width] }))
    layer.setWeights(weights.map((each) => tf.tensor(each, [width, width])))
    const output = layer.apply(tf.tensor(x, [1, length, width])) as ReturnType<typeof tf.tensor>
    const found = await output.data()
    const expected = attended(matrix(x), Object.fromEntries(names.map((name, n) => [name, matrix(weights[n])]))).flat()
    t.true(expected.every((each, k) => Math.abs(each - found[k]) < 1e-5))
  }
)

test.serial('a layer normalisation that broadcasts gives what that of TensorFlow.js gives', async (t) => {
  await createTask({ localData: localData(10, 6), model: { kind: 'gpt', ...size } })
  const model = tf.sequential({ layers: [tf.layers.layerNormalization({ inputShape: [3, 5], epsilon: 1e-5 })] })
  model.setWeights([tf.tensor([1, 2, 3, 4, 5]), tf.tensor([5, 4, 3, 2, 1])])
  const x = tf.tensor(
    Float32Array.from({ length: 30 }, (_, k) => Math.sin(k * k)),
    [2, 3, 5]
  )
  const outputs = async () => (model.predict(x) as typeof x).data<'float32'>()
  const before = await outputs()
  broadcastNormalisation(model)
  const after = await outputs()
  t.true(before.every((value, k) => Math.abs(value - after[k]) < 1e-5))
})

async function trained(task: Task, rounds: number): Promise<Float32Array> {
  const x = await task.initialise(1).run()
  const velocity = new Float32Array(x.length)
  for (let round = 0; round < rounds; round++) {
    const batch = Uint32Array.from({ length: 8 }, (_, k) => (round * 8 + k) % task.samples)
    const { vector } = await task.gradient(x, batch).run()
    for (const [k, slope] of vector.entries()) {
      velocity[k] = 0.9 * velocity[k] + slope
      x[k] -= 0.1 * velocity[k]
    }
  }
  return x
}

test.serial(
  'it learns sentences better than any count of characters could, and no better than they can be known',
  async (t) => {
    const options = localData(400, 24)
    const task = await createTask({ localData: options, model: { kind: 'gpt', layers: 1, width: 24, heads: 2 } })
    const before = await task.evaluate(await task.initialise(1).run()).run()
    const { loss, perplexity = Number.NaN, accuracy } = await task.evaluate(await trained(task, 80)).run()
    const { train } = await loadLocalData(options as never)
    const counts = new Map<number, number>()
    for (const target of train.targets) counts.set(target, (counts.get(target) ?? 0) + 1 / train.targets.length)
    const unigram = -[...counts.values()].reduce((sum, p) => sum + p * Math.log(p), 0)
    t.true(Math.abs(before.loss / Math.log(train.classes ?? 0) - 1) < 0.3, `${before.loss} at first`)
    t.true(loss < 0.6 * unigram, `${loss}, and ${unigram} for who counts characters`)
    t.true(loss > sentenceEntropy(), `${loss}, and ${sentenceEntropy()} at least`)
    t.is(perplexity, Math.exp(loss))
    t.true((accuracy ?? 0) > 0.4)
  }
)

test.serial('sizes that do not fit, and samples that are no texts, are refused', async (t) => {
  const context = { inputShape: [6], targetShape: [6], classes: 5, options: undefined }
  t.throws(() => gpt({ ...size, heads: 3 }, context), {
    instanceOf: InputError,
    message: 'width is 8, expected a multiple of heads, which is 3'
  })
  t.throws(() => gpt(size, { ...context, inputShape: [4097], targetShape: [4097] }), {
    instanceOf: InputError,
    message: 'the context is 4097 characters, expected at most 4096'
  })
  const digits: TfjsTaskOptions['localData'] = { ...localData(1, 6), data: { kind: 'digits', samples: 10 } }
  await t.throwsAsync(createTask({ localData: digits, model: { kind: 'gpt', ...size } }), {
    instanceOf: InputError,
    message: /gpt is for texts.* found inputs of shape \[28,28,1\] and targets of shape \[\]/
  })
  await t.throwsAsync(createTask({ localData: localData(10, 6), model: { kind: 'mlp', hidden: [4] } }), {
    instanceOf: InputError,
    message: /mlp learns one class per sample; found 6, as texts have: use the task gpt/
  })
})

test.serial('weights are drawn for the size of their layer, and their names name the layer', async (t) => {
  const task = await createTask({ localData: localData(10, 6), model: { kind: 'gpt', ...size } })
  const tensors = unpack(task.schema, await task.initialise(1).run())
  const spreadOf = (place: number) =>
    Math.sqrt(tensors[place].reduce((sum, x) => sum + x * x, 0) / tensors[place].length)
  const names = task.schema.map(({ name }) => name.split('/').slice(1).join('/'))
  t.deepEqual(names.slice(0, 8), [
    'Embedding/embeddings',
    'PositionEmbedding/places',
    'LayerNormalization/gamma',
    'LayerNormalization/beta',
    'CausalAttention/query',
    'CausalAttention/key',
    'CausalAttention/value',
    'CausalAttention/join'
  ])
  for (const place of [0, 1]) t.true(Math.abs(spreadOf(place) / 0.2 - 1) < 0.25, `${spreadOf(place)}`)
  for (const place of [4, 5, 6, 7])
    t.true(Math.abs(spreadOf(place) / Math.sqrt(1 / 8) - 1) < 0.35, `${spreadOf(place)}`)
})
