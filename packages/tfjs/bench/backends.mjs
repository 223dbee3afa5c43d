/**
 * Times gradients of models from small to large on one backend, to see from which size on another one is faster. One
 * JSON object per line: `{ model, backend, parameters, samples, ms }`, `ms` being the median of the calls in three
 * seconds, at least three, after two to warm up; a read of the gradient is part of each. Run by hand after a build:
 * `node packages/tfjs/bench/backends.mjs [wasm|cpu|node|gpu|webgpu]`.
 */
import { createTfjsTask } from '../dist/index.js'

const budget = 3000
const warmUps = 2
const leastCalls = 3
const localData = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a'], seed: 1 }
const digits = { ...localData, data: { kind: 'digits', samples: 400 } }
const sentences = { ...localData, data: { kind: 'sentences', samples: 400 } }

/** Models, and the number of samples in a batch. */
const models = [
  [{ localData: digits, model: { kind: 'mlp', hidden: [128] } }, 32],
  [{ localData: digits, model: { kind: 'mlp', hidden: [1024, 1024] } }, 256],
  [{ localData: digits, model: { kind: 'mlp', hidden: [4096, 4096] } }, 256],
  [{ localData: digits, model: { kind: 'cnn', filters: [8, 16] } }, 32],
  [{ localData: digits, model: { kind: 'cnn', filters: [32, 64] } }, 256],
  [{ localData: sentences, model: { kind: 'gpt', layers: 2, width: 64, heads: 4 } }, 32],
  [{ localData: { ...sentences, context: 128 }, model: { kind: 'gpt', layers: 6, width: 384, heads: 6 } }, 16]
]

for (const [options, samples] of models) {
  const task = await createTfjsTask({ ...options, backend: process.argv[2] ?? 'auto' })
  const parameters = await task.initialise(1).run()
  const batch = Uint32Array.from({ length: samples }, (_, index) => index)
  const times = []
  for (let call = 0, end = Infinity; call < warmUps + leastCalls || performance.now() < end; call++) {
    const start = performance.now()
    await task.gradient(parameters, batch).run()
    if (call === warmUps - 1) end = performance.now() + budget
    if (call >= warmUps) times.push(performance.now() - start)
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1]
  const { model, backend } = task.about
  const line = { model, backend, parameters: parameters.length, samples, ms: Number(median.toPrecision(3)) }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
