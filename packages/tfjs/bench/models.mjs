/**
 * Times the gradient of the models that come with this package.
 * Run by hand after a build: `node packages/tfjs/bench/models.mjs [wasm|cpu|node|gpu]`.
 */
import { createTfjsTask } from '../dist/index.js'

const budget = 3000
const batchLength = 32
const sharing = {
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  seed: 1
}
const digits = { kind: 'digits', samples: 200 }
const models = [
  { data: digits, model: { kind: 'mlp', hidden: [128] } },
  { data: digits, model: { kind: 'cnn', filters: [8, 16] } },
  { data: { kind: 'sentences', samples: 200 }, model: { kind: 'gpt', layers: 2, width: 64, heads: 4 } }
]

for (const { data, model } of models) {
  const task = await createTfjsTask({ localData: { data, ...sharing }, model, backend: process.argv[2] ?? 'auto' })
  const parameters = await task.initialise(1).run()
  const batch = Uint32Array.from({ length: batchLength }, (_, index) => index)
  let best = Number.POSITIVE_INFINITY
  for (const end = performance.now() + budget; performance.now() < end;) {
    const start = performance.now()
    await task.gradient(parameters, batch).run()
    best = Math.min(best, performance.now() - start)
  }
  const line = `${task.about.model}, ${task.about.backend}, batch ${batchLength}: ${best.toFixed(2)} ms`
  process.stdout.write(`${line} per gradient, the fastest of ${budget / 1000} s\n`)
}
