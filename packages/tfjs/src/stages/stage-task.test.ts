import type { StageTask, Task } from '@murmuration/core'
import { findBackend } from '@tensorflow/tfjs-core'
import test, { type ExecutionContext } from 'ava'
import { type StageTaskWorker, startTaskWorker } from '@murmuration/tasks'
import { tfjsTaskModule } from '../lazy.js'
import type { TfjsTaskOptions } from '../task.js'
import { createTask, localData, moduleOf, sequential, taskOf, testedBackend } from '../task.test.support.js'

const batch = Uint32Array.of(0, 3, 5, 11, 14, 2, 9, 7)

const models: Readonly<Record<string, () => Promise<Task>>> = {
  'the dense network': () =>
    createTask({ localData: localData(60), model: { kind: 'mlp', hidden: [12, 9, 7], activation: 'tanh' } }),
  'dense layers': ofLayers(
    "l.flatten(), l.dense({ units: 8, activation: 'tanh' }), l.dropout({ rate: 0.5 }), l.dense({ units: 5, activation: 'relu' }), l.dropout({ rate: 0.3 }), l.dense({ units: classes })"
  ),
  'convolutions': ofLayers(
    "l.conv2d({ filters: 3, kernelSize: 3, padding: 'same', activation: 'tanh' }), l.maxPooling2d({ poolSize: 2 }), l.conv2d({ filters: 4, kernelSize: 2, activation: 'relu' }), l.flatten(), l.dense({ units: classes })"
  ),
  'embeddings, an LSTM and a bidirectional GRU': ofLayers(
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.lstm({ units: 3, returnSequences: true, recurrentDropout: 0.4 }), l.bidirectional({ layer: l.gru({ units: 3 }) }), l.dense({ units: classes })',
    { ids: true }
  ),
  'a GPT': () =>
    createTask({
      localData: { ...localData(0), data: { kind: 'sentences', samples: 40 }, context: 6 },
      model: { kind: 'gpt', layers: 2, width: 8, heads: 2 }
    }),
  'frozen layers, penalties and a softmax': ofLayers(
    "l.flatten(), l.dense({ units: 8, activation: 'tanh', kernelRegularizer: 'l1l2' }), l.dense({ units: 8, activation: 'tanh', trainable: false }), l.dense({ units: 6, kernelRegularizer: 'l1l2' }), l.layerNormalization(), l.dense({ units: classes, activation: 'softmax' })"
  ),
  'residual blocks': async () => {
    const path = await moduleOf(`export const createModel = (tf, { inputShape, classes }) => {
      const input = tf.input({ shape: [...inputShape] })
      let x = tf.layers.dense({ units: 8 }).apply(tf.layers.flatten().apply(input))
      for (let k = 0; k < 2; k++) {
        const inner = tf.layers.dense({ units: 8, activation: 'tanh' }).apply(x)
        x = tf.layers.add().apply([x, tf.layers.dense({ units: 8 }).apply(inner)])
      }
      return tf.model({ inputs: input, outputs: tf.layers.dense({ units: classes }).apply(x) })
    }`)
    return createTask({ localData: localData(60), model: { kind: 'module', path } })
  },
  'numbers as targets': ofLayers(
    "l.flatten(), l.dense({ units: 4, activation: 'tanh' }), l.dense({ units: 4, activation: 'elu' }), l.dense({ units: 1 })",
    { classes: 0 }
  )
}

function ofLayers(layers: string, fixture = {}): () => Promise<Task> {
  return () => taskOf(sequential(layers), fixture)
}

/** The first and last parts of the stages that these cuts, numbers of parts, make. */
async function stagesOf({ stages }: Task, cuts: readonly number[]): Promise<readonly StageTask[]> {
  if (stages === undefined) throw new Error('the task has no stages')
  const ends = [0, ...cuts, stages.parts.length]
  const built: StageTask[] = []
  for (const [index, end] of ends.slice(1).entries()) built.push(await stages.of(ends[index], end))
  return built
}

interface Found {
  readonly loss: number
  readonly vector: Float32Array
}

/** The gradient at the parameters of the stages, from so many micro-batches. */
async function gradientOf(
  stages: readonly StageTask[],
  at: readonly Float32Array[],
  microBatches: number,
  round: number
): Promise<Found> {
  const sums = at.map(({ length }) => new Float32Array(length))
  let sum = 0
  for (let microBatch = 0; microBatch < microBatches; microBatch++) {
    const size = batch.length / microBatches
    const pass = { round, microBatch }
    const held = [await stages[0].stage.take(batch.subarray(microBatch * size, (microBatch + 1) * size)).run()]
    for (const [index, { stage }] of stages.slice(0, -1).entries())
      held.push(await stage.forward(at[index], held[index], pass).run())
    let outputs: Float32Array | undefined
    for (let index = stages.length - 1; index >= 0; index--) {
      const { loss, vector, inputs } = await stages[index].stage.backward(at[index], held[index], pass, outputs).run()
      for (const [k, value] of vector.entries()) sums[index][k] += value / microBatches
      sum += loss / microBatches
      outputs = inputs
    }
  }
  return { loss: sum, vector: joined(sums) }
}

function joined(vectors: readonly Float32Array[]): Float32Array {
  return Float32Array.from(vectors.flatMap((vector) => [...vector]))
}

for (const [title, build] of Object.entries(models)) {
  test.serial(`the stages of a model have its tensors, first values and gradients: ${title}`, async (t) => {
    const task = await build()
    const parts = task.stages?.parts ?? []
    t.true(parts.length >= 3, `${parts.length} parts`)
    t.is(
      parts.reduce((sum, { parameters }) => sum + parameters, 0),
      task.schema.reduce((sum, { shape }) => sum + shape.reduce((product, extent) => product * extent, 1), 0)
    )
    const x = await task.initialise(3).run()
    const round = 2
    const { loss, vector } = await task.gradient(x, batch, round).run()
    const whole = { loss, vector: vector.slice() }
    const largest = whole.vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const hasDraws = title === 'dense layers' || title.startsWith('embeddings')
    for (const cuts of [[1], [parts.length - 1], Array.from({ length: parts.length - 1 }, (_, k) => k + 1)]) {
      const stages = await stagesOf(task, cuts)
      t.deepEqual(
        stages.flatMap(({ schema }) => schema),
        task.schema
      )
      const at: Float32Array[] = []
      for (const stage of stages) at.push(await stage.initialise(3).run())
      t.deepEqual(joined(at), x)
      const one = await gradientOf(stages, at, 1, round)
      t.deepEqual(one.vector, whole.vector)
      t.true(Math.abs(one.loss - whole.loss) < 1e-6, `a loss of ${one.loss}, not ${whole.loss}`)
      // Micro-batches draw each their own dropout.
      for (const microBatches of hasDraws ? [] : [2, 4, 8]) near(t, await gradientOf(stages, at, microBatches, round))
    }

    function near({ assert }: ExecutionContext, found: Found) {
      assert(Math.abs(found.loss - whole.loss) < 1e-6, `a loss of ${found.loss}, not ${whole.loss}`)
      for (const [k, value] of found.vector.entries())
        if (Math.abs(value - whole.vector[k]) > 5e-7 * largest)
          assert(false, `element ${k}: ${value}, not ${whole.vector[k]}, the largest is ${largest}`)
    }
  })
}

test.serial(
  'a micro-batch draws the same in both passes, and other micro-batches and rounds draw something else',
  async (t) => {
    const task = await models['dense layers']()
    const stages = await stagesOf(task, [1, 2])
    const at: Float32Array[] = []
    for (const stage of stages) at.push(await stage.initialise(3).run())
    const input = await stages[0].stage
      .forward(at[0], await stages[0].stage.take(batch).run(), { round: 0, microBatch: 0 })
      .run()
    const outputs = async (round: number, microBatch: number) =>
      String(await stages[1].stage.forward(at[1], input, { round, microBatch }).run())
    const drawn = [await outputs(0, 0), await outputs(0, 1), await outputs(1, 0), await outputs(0, 0)]
    t.is(new Set(drawn).size, 3)
    t.is(drawn[3], drawn[0])
  }
)

test.serial('a model is cut where one tensor passes: not within residual blocks, nor behind masks', async (t) => {
  const layersOf = ({ stages }: Task) => stages?.parts.map(({ layer }) => layer)
  // 0 input, 1 flatten, 2 dense, then in each block two dense layers and a sum.
  t.deepEqual(layersOf(await models['residual blocks']()), [0, 3, 6, 9])
  const masked =
    'l.embedding({ inputDim: 11, outputDim: 4, maskZero: true }), l.lstm({ units: 3 }), l.dense({ units: classes })'
  t.deepEqual(layersOf(await taskOf(sequential(masked), { ids: true })), [0])
  const normal = 'l.flatten(), l.dense({ units: 4 }), l.batchNormalization(), l.dense({ units: classes })'
  const { stages } = await taskOf(sequential(normal))
  t.deepEqual(
    stages?.parts.map(({ mixesSamples }) => mixesSamples),
    [false, true, false]
  )
  t.deepEqual(
    stages?.parts.map(({ outputs }) => outputs),
    [4, 4, 3]
  )
  t.deepEqual(
    stages?.parts.map(({ operations }) => operations),
    [36 * 4 + 4, 16, 4 * 3 + 3]
  )
})

test.serial('batch normalisation: one micro-batch gives the statistics and gradients of the whole', async (t) => {
  const normal =
    "l.flatten(), l.dense({ units: 4, activation: 'tanh' }), l.batchNormalization(), l.dense({ units: classes })"
  const task = await taskOf(sequential(normal))
  const x = await task.initialise(3).run()
  const { vector } = await task.gradient(x, batch, 0).run()
  const whole = vector.slice()
  const stages = await stagesOf(task, [1, 2])
  const at: Float32Array[] = []
  for (const stage of stages) at.push(await stage.initialise(3).run())
  t.deepEqual((await gradientOf(stages, at, 1, 0)).vector, whole)
})

test.serial('with late weights only the layers of a stage take memory, and begin alike', async (t) => {
  const optionsOf = (hidden: readonly number[]): TfjsTaskOptions => {
    return { localData: localData(20), model: { kind: 'mlp', hidden }, backend: 'wasm' }
  }
  const small = optionsOf([9, 8])
  const x = await (await createTask(small)).initialise(3).run()
  const values: Float32Array[] = []
  for (const stage of await stagesOf(await createTask({ ...small, hasLateWeights: true }), [1, 2]))
    values.push(await stage.initialise(3).run())
  t.deepEqual(joined(values), x)
  // 46 MB; the last stage has 0.1 MB.
  const { wasm } = findBackend('wasm') as unknown as { readonly wasm: { readonly HEAPU8: Uint8Array } }
  const before = wasm.HEAPU8.length
  const task = await createTask({ ...optionsOf([3000, 3000]), hasLateWeights: true })
  const last = (await task.stages?.of(2, 3)) as StageTask
  await last.stage
    .backward(await last.initialise(3).run(), new Float32Array(2 * 3001), { round: 0, microBatch: 0 })
    .run()
  t.is(wasm.HEAPU8.length, before)
})

test.serial('a stage in a thread gives the same bits as in this thread, weighed or not', async (t) => {
  const options: TfjsTaskOptions = {
    localData: localData(60),
    model: { kind: 'mlp', hidden: [9, 8] },
    backend: testedBackend
  }
  const here = await stagesOf(await createTask(options), [1, 2])
  const whole = await startTaskWorker({ module: tfjsTaskModule, options: { ...options, hasLateWeights: true } })
  t.deepEqual(
    whole.stages?.parts.map(({ layer }) => layer),
    [0, 2, 3]
  )
  const worker = (await whole.stages?.of(1, 2)) as StageTaskWorker
  t.deepEqual(worker.schema, here[1].schema)
  const at = await worker.initialise(4).run()
  t.deepEqual(at, await here[1].initialise(4).run())
  const pass = { round: 0, microBatch: 0 }
  const first = await here[0].stage.take(batch).run()
  const input = await here[0].stage.forward(await here[0].initialise(4).run(), first, pass).run()
  t.deepEqual(await worker.stage.forward(at, input, pass).run(), await here[1].stage.forward(at, input, pass).run())
  const outputs = Float32Array.from({ length: 8 * batch.length }, (_, k) => Math.sin(k))
  const backward = async ({ stage }: { stage: StageTask['stage'] }) => {
    const { vector, ...others } = await stage.backward(at, input, pass, outputs).run()
    return { ...others, vector: vector.slice() }
  }
  const expected = await backward(here[1])
  t.deepEqual(await backward(worker), expected)
  await worker.weighGradients(2)
  const weighed = { ...expected, vector: expected.vector.map((value) => 2 * value) }
  t.deepEqual(await backward(worker), weighed)
  await whole.close()
})

test.serial('passes with the same number share loaded weights, until others load theirs', async (t) => {
  const layers = "l.flatten(), l.dense({ units: 5, activation: 'tanh' }), l.dense({ units: 4 }), l.dense({ units: 1 })"
  const task = await taskOf(sequential(`l.dropout({ rate: 0.1 }), ${layers}`), { classes: 0 })
  const [first] = await stagesOf(task, [1])
  const [same] = await stagesOf(task, [1])
  const [x, y] = [await first.initialise(3).run(), await first.initialise(4).run()]
  const input = await first.stage.take(batch).run()
  const outputs = async ({ stage }: StageTask, parameters: Float32Array, step?: number) =>
    (
      await stage.forward(parameters, input, { round: 0, microBatch: 0, ...(step !== undefined && { step }) }).run()
    ).slice()
  const [ofX, ofY] = [await outputs(first, x), await outputs(first, y)]
  t.notDeepEqual(ofX, ofY)
  t.deepEqual(await outputs(first, x, 1), ofX)
  t.deepEqual(await outputs(first, y, 1), ofX, 'not loaded: the number says that they are the same')
  t.deepEqual(await outputs(same, y, 2), ofY)
  t.deepEqual(await outputs(first, x, 1), ofX, 'another stage of the model has loaded its own meanwhile')
  t.deepEqual(await outputs(first, y, 3), ofY)
})
