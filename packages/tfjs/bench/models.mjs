/**
 * Times the gradient of the models that come with this package.
 * Run by hand after a build: `node packages/tfjs/bench/models.mjs [wasm|cpu|node|gpu]`.
 */
import { createTfjsTask } from '../dist/index.js'

const budget = 3000
const batchLength = 32
const localData = {
  data: { kind: 'digits', samples: 200 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  seed: 1
}
const models = [
  { kind: 'mlp', hidden: [128] },
  { kind: 'cnn', filters: [8, 16] }
]

for (const model of models) {
  const task = await createTfjsTask({ localData, model, backend: process.argv[2] ?? 'auto' })
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
