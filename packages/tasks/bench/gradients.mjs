/**
 * Gradients per second on one core, in batches of 32, of the tasks of 100 peers in turn; next to the regressions, the
 * same gradient in plain JavaScript. Then the time to build the tasks of 10,000 peers, and the memory that they hold.
 *
 *     npx tsc -b packages/tasks && node --expose-gc packages/tasks/bench/gradients.mjs
 */
import { loadLocalData } from '@murmuration/data'
import { createLogisticTaskSet, createQuadraticTaskSet, createSoftmaxTaskSet } from '../dist/index.js'

const creates = { logistic: createLogisticTaskSet, softmax: createSoftmaxTaskSet, quadratic: createQuadraticTaskSet }
const createTaskSet = async ({ kind, ...options }) => creates[kind](options)

const batchSize = 32
const milliseconds = 1000

const peersOf = (count) => Array.from({ length: count }, (_, k) => `p${k}`)
const localDataOptionsOf = (peers, data, testFraction = 0.2) => ({
  data,
  testFraction,
  partition: { kind: 'equal' },
  peers,
  seed: 1
})

const small = peersOf(100)
const gaussians = localDataOptionsOf(small, { kind: 'gaussians', samplesPerPeer: batchSize })
const digits = (size) => localDataOptionsOf(small, { kind: 'digits', samplesPerPeer: batchSize, size })
const taskSets = [
  ['logistic, 57 features', { kind: 'logistic', localData: gaussians }],
  ['softmax, 64 × 10', { kind: 'softmax', localData: digits(8) }],
  ['softmax, 784 × 10', { kind: 'softmax', localData: digits(28) }],
  ['quadratic, 10 dimensions', { kind: 'quadratic', peers: small, seed: 1, noise: 1, samples: batchSize }]
]

/** Repeats `run` for a second, and returns the best rate per second. */
function perSecond(run) {
  let best = 0
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    const start = performance.now()
    for (let k = 0; k < 200; k++) run(k)
    best = Math.max(best, (200 * milliseconds) / (performance.now() - start))
  }
  return best
}

/**
 * The logistic gradient in plain JavaScript: four samples side by side, since each addition of a sum waits for the
 * previous one.
 */
function plainLogistic({ inputs, targets, inputShape }, w, first, out) {
  const size = inputShape[0]
  const scores = new Float64Array(batchSize)
  const sums = new Float64Array(size + 1)
  for (let b = 0; b < batchSize; b += 4) {
    const at = (first + b) * size
    let p = w[size]
    let q = w[size]
    let r = w[size]
    let s = w[size]
    for (let i = 0; i < size; i++) {
      const weight = w[i]
      p += weight * inputs[at + i]
      q += weight * inputs[at + size + i]
      r += weight * inputs[at + 2 * size + i]
      s += weight * inputs[at + 3 * size + i]
    }
    scores[b] = p
    scores[b + 1] = q
    scores[b + 2] = r
    scores[b + 3] = s
  }
  for (let b = 0; b < batchSize; b++) {
    scores[b] = 1 / (1 + Math.exp(-scores[b])) - targets[first + b]
    sums[size] += scores[b]
  }
  for (let b = 0; b < batchSize; b += 4) {
    const at = (first + b) * size
    const p = scores[b]
    const q = scores[b + 1]
    const r = scores[b + 2]
    const s = scores[b + 3]
    for (let i = 0; i < size; i++) {
      sums[i] +=
        p * inputs[at + i] + q * inputs[at + size + i] + r * inputs[at + 2 * size + i] + s * inputs[at + 3 * size + i]
    }
  }
  for (let i = 0; i <= size; i++) out[i] = sums[i] / batchSize
}

/** The softmax gradient in plain JavaScript. */
function plainSoftmax({ inputs, targets, inputShape, classes }, w, first, out) {
  const size = inputShape[0] * inputShape[1]
  const p = new Float64Array(classes)
  const sums = new Float64Array(out.length)
  for (let b = first; b < first + batchSize; b++) {
    for (let k = 0; k < classes; k++) p[k] = w[size * classes + k]
    for (let i = 0; i < size; i++) {
      const value = inputs[b * size + i]
      if (value === 0) continue
      for (let k = 0; k < classes; k++) p[k] += value * w[i * classes + k]
    }
    let sum = 0
    for (let k = 0; k < classes; k++) sum += p[k] = Math.exp(p[k])
    for (let k = 0; k < classes; k++) p[k] /= sum
    p[targets[b]] -= 1
    for (let i = 0; i < size; i++) {
      const value = inputs[b * size + i]
      if (value === 0) continue
      for (let k = 0; k < classes; k++) sums[i * classes + k] += value * p[k]
    }
    for (let k = 0; k < classes; k++) sums[size * classes + k] += p[k]
  }
  for (let i = 0; i < out.length; i++) out[i] = sums[i] / batchSize
}

const plain = { logistic: plainLogistic, softmax: plainSoftmax }
const print = (name, ...columns) =>
  process.stdout.write(`${name.padEnd(34)}${columns.map((text) => text.padStart(20)).join('')}\n`)
const speed = (rate) => `${Math.round(rate).toLocaleString('en')} /s`

print('', 'gradients', 'in plain JavaScript')
for (const [name, options] of taskSets) {
  const taskSet = await createTaskSet(options)
  const tasks = taskSet.peers.map((peer) => taskSet.of(peer))
  const w = taskSet.union
    .initialise(1)
    .run()
    .map((_, index) => Math.sin(index) / 10)
  const batch = Uint32Array.from({ length: batchSize }, (_, k) => k)
  const rate = perSecond((k) => tasks[k % tasks.length].gradient(w, batch).run())
  if (options.localData === undefined) print(name, speed(rate))
  else {
    const { train } = await loadLocalData(options.localData)
    const out = new Float32Array(w.length)
    print(
      name,
      speed(rate),
      speed(perSecond((k) => plain[options.kind](train, w, (k % tasks.length) * batchSize, out)))
    )
  }
}

const many = peersOf(10_000)
const large = [
  [
    'logistic, 32 samples each',
    { kind: 'logistic', localData: localDataOptionsOf(many, { kind: 'gaussians', samplesPerPeer: 32 }, 0.01) }
  ],
  [
    'softmax, 8 × 8, 4 samples each',
    { kind: 'softmax', localData: localDataOptionsOf(many, { kind: 'digits', samplesPerPeer: 4, size: 8 }, 0.01) }
  ],
  ['quadratic, 10 dimensions', { kind: 'quadratic', peers: many, seed: 1, heterogeneity: 1 }]
]

/**
 * MiB in use. The collector releases WebAssembly's memory only in the second pass after the one that finds its owner
 * unreachable.
 */
async function held() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

async function build(name, options) {
  const before = await held()
  const start = performance.now()
  const taskSet = await createTaskSet(options)
  const tasks = many.map((peer) => taskSet.of(peer))
  const seconds = (performance.now() - start) / milliseconds
  const memory = (await held()) - before
  print(name, `${seconds.toFixed(2)} s`, `${memory.toFixed(0)} MiB`)
  return tasks
}

process.stdout.write('\n')
print('10,000 peers', 'to build', 'held')
for (const [name, options] of large) await build(name, options)
