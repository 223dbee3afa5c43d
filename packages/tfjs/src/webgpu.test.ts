/**
 * What the WebGPU backend alone could get wrong. test/src/processes/webgpu.test.ts runs this file where the packages
 * are installed, together with other tests.
 */
import { messageOf, type Task } from '@murmuration/core'
import { startTaskWorker } from '@murmuration/tasks'
import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import { tfjsTaskModule } from './lazy.js'
import { localData, moduleOf, sequential, taskOf, testedBackend } from './task.test.support.js'

const onWebgpu = testedBackend === 'webgpu' ? test.serial : test.serial.skip
const batch = Uint32Array.of(0, 3, 5, 11, 30)

async function results(task: Task, at: Float32Array): Promise<unknown> {
  const { loss, vector } = await task.gradient(at, batch).run()
  return { loss, gradient: hashVector(vector) }
}

onWebgpu('works of one task that run at the same time compute what they compute alone', async (t) => {
  const task = await taskOf(sequential('l.flatten(), l.batchNormalization(), l.dense({ units: classes })'))
  const first = await task.initialise(1).run()
  const second = await task.initialise(2).run()
  const works: readonly (() => Promise<unknown>)[] = [
    async () => results(task, first),
    async () => task.evaluate(second).run(),
    async () => task.evaluate(first).run()
  ]
  const alone: unknown[] = []
  for (const work of works) alone.push(await work())
  t.deepEqual(await Promise.all(works.map((work) => work())), alone)
  t.deepEqual(await Promise.all(works.toReversed().map((work) => work())), alone.toReversed())
})

const manyTerms: Readonly<Record<string, readonly [string, boolean]>> = {
  'rows of a table that are looked up many times': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.flatten(), l.dense({ units: classes })',
    true
  ],
  'a product of 3,600 terms': [
    'l.upSampling2d({ size: [10, 10] }), l.flatten(), l.dense({ units: 60 }), l.dense({ units: classes })',
    false
  ]
}
for (const [title, [layers, ids]] of Object.entries(manyTerms))
  onWebgpu(`sums have the same order each time: ${title}`, async (t) => {
    const task = await taskOf(sequential(layers), { ids })
    const at = await task.initialise(3).run()
    const everything = Uint32Array.from({ length: task.samples }, (_, sample) => sample)
    const found = new Set<string>()
    for (let k = 0; k < 12; k++) found.add(hashVector((await task.gradient(at, everything).run()).vector))
    t.is(found.size, 1)
  })

onWebgpu('a module may read tensors at once while it builds its model', async (t) => {
  const task = await taskOf(`export const keepWeights = true
    export const createModel = (tf, { inputShape, classes }) => {
      const kernel = tf.matMul(tf.ones([36, 50]), tf.ones([50, classes]))
      const [sum] = kernel.dataSync()
      const layers = [tf.layers.flatten({ inputShape }), tf.layers.dense({ units: classes, weights: [tf.div(kernel, sum), tf.zeros([classes])] })]
      return tf.sequential({ layers })
    }`)
  t.deepEqual([...(await task.initialise(1).run())].slice(0, 36 * 3), Array<number>(36 * 3).fill(1))
})

/** The error of a gradient of a module with this loss, in a thread of its own. */
async function failureWith(loss: string): Promise<string> {
  const path = await moduleOf(`${sequential('l.flatten(), l.dense({ units: classes })')}
    export const loss = (tf, outputs, targets) => ${loss}`)
  const options = { localData: localData(20), model: { kind: 'module', path }, backend: 'webgpu' }
  const worker = await startTaskWorker({ module: tfjsTaskModule, options, userModule: path })
  try {
    await worker.gradient(await worker.initialise(1).run(), Uint32Array.of(0)).run()
    return 'none'
  } catch (error) {
    return messageOf(error).replace(path, 'PATH')
  } finally {
    await worker.close()
  }
}

onWebgpu('a loss that reads a tensor at once is an error that says what to do', async (t) => {
  t.is(
    await failureWith('tf.mul(tf.mean(outputs), tf.mean(outputs).dataSync()[0])'),
    "loss of the model's module PATH:5 fails: on the backend webgpu a tensor cannot be read with dataSync, arraySync or the like; compute with tensors, or use another backend, such as wasm"
  )
})

onWebgpu('what does not fit the device is an error, and not a gradient of zeros', async (t) => {
  t.regex(
    await failureWith('tf.add(tf.mean(outputs), tf.mean(tf.fill([1 << 10, 1 << 10, 1 << 10], 1)))'),
    /^the WebGPU device failed: (Buffer size \(4294967296\) exceeds the max buffer size limit|Binding size \(4294967296\) of \[Buffer \(unlabeled\)\] is larger than the maximum storage buffer binding size) .+[^.]; use a smaller batch or model/
  )
})
