/**
 * Processor time of gradients and of matrix products on WebAssembly: one JSON object per line, `{ name, ms }` or
 * `{ name, gigaflops }`, the median of several batches of calls. Run by hand after a build:
 * `node packages/tfjs/bench/compute.mjs`.
 */
import * as tf from '@tensorflow/tfjs-core'
import { createTfjsTask } from '../dist/index.js'
import { chooseBackend } from '../dist/backend.js'
import { Gpt } from './gpt.mjs'

const batches = 9

/** Models, and the number of samples in a batch. */
const models = [
  ...[64, 1, 8, 16, 32, 256].map((samples) => [{ kind: 'mlp', hidden: [128] }, samples]),
  [{ kind: 'cnn', filters: [8, 16] }, 64]
]

/** The number of matrices in a batch, rows, terms, columns, and which factor is transposed. */
const products = [
  [1, 64, 784, 128],
  [1, 784, 64, 128, 'left'],
  [1, 64, 128, 784, 'right'],
  [1, 256, 256, 256],
  [1, 512, 512, 512],
  [1, 1024, 1024, 1024],
  [32, 64, 32, 64, 'right'],
  [32, 64, 64, 32],
  [1, 4, 784, 128]
]

const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/**
 * Milliseconds of processor time per call: the median of batches of at least 50 ms, after `warmUp` milliseconds of
 * calls.
 */
async function costOf(call, warmUp = 500) {
  for (const start = processorTime(); processorTime() - start < warmUp;) await call()
  const costs = []
  for (let batch = 0; batch < batches; batch++) {
    const start = processorTime()
    let calls = 0
    do {
      await call()
      calls++
    } while (processorTime() - start < 50)
    costs.push((processorTime() - start) / calls)
  }
  return costs.sort((x, y) => x - y)[(batches - 1) / 2]
}

const localData = {
  data: { kind: 'digits', samples: 400 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  seed: 1
}
for (const [model, samples] of models) {
  const task = await createTfjsTask({ localData, model, backend: 'wasm' })
  const parameters = await task.initialise(1).run()
  const batch = Uint32Array.from({ length: samples }, (_, index) => index)
  const name = samples === 64 ? model.kind : `${model.kind}, batch of ${samples}`
  // The tape of TensorFlow.js needs a long warm-up.
  print({ name, ms: await costOf(() => task.gradient(parameters, batch).run(), 2000) })
}

await chooseBackend('wasm')
const gpt = new Gpt(tf)
print({ name: 'gpt', ms: await costOf(() => gpt.gradient()) })

for (const [count, rows, terms, columns, transposed] of products) {
  const transposeA = transposed === 'left'
  const transposeB = transposed === 'right'
  const a = tf.randomNormal(transposeA ? [count, terms, rows] : [count, rows, terms])
  const b = tf.randomNormal(transposeB ? [count, columns, terms] : [count, terms, columns])
  const ms = await costOf(() => tf.tidy(() => void tf.matMul(a, b, transposeA, transposeB)))
  const name = `${count} × ${rows}·${terms}·${columns}${transposed === undefined ? '' : `, ${transposed} transposed`}`
  print({ name, gigaflops: (2 * count * rows * terms * columns) / ms / 1e6 })
}
