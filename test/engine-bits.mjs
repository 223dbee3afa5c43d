/**
 * Hashes of results that must have the same bits in every engine: functions at 20,001 arguments each, and what packages
 * compute with them. test/src/processes/engine-bits.test.ts has what they must be, and compares them in Node and
 * Chromium. By hand, after `npm run build`; each prints the same lines:
 *
 * - Another Node: `npx -y node@24 test/engine-bits.mjs`
 * - Another browser: `npx esbuild test/engine-bits.mjs --bundle --outfile=bits.js`, and open a page of the line
 *   `<body><script src="bits.js"></script>`
 */
import { constantsOn } from '../packages/algorithms/dist/parts/meetings.js'
import { rateSchedule } from '../packages/algorithms/dist/parts/schedule.js'
import * as core from '../packages/core/dist/index.js'
import { drawnDigits } from '../packages/data/dist/digits/digits.js'
import { dirichlet } from '../packages/data/dist/dirichlet.js'
import { drawGraph } from '../packages/data/dist/drawn-graph.js'
import { drawRatings } from '../packages/data/dist/drawn-ratings.js'
import { drawnGaussians } from '../packages/data/dist/gaussians.js'
import { partition } from '../packages/data/dist/partition.js'
import { bestSplitSize } from '../packages/engine/dist/pipeline/split-size.js'
import { createRandom, normals } from '../packages/random/dist/index.js'
import { drawChurn } from '../packages/simulator/dist/churn.js'
import { computingCost } from '../packages/simulator/dist/computing.js'
import { KnowledgeGraph } from '../packages/tasks/dist/knowledge-graph/knowledge-graph.js'
import { Logistic } from '../packages/tasks/dist/logistic.js'
import { RowsModel } from '../packages/tasks/dist/rows-model.js'
import { Softmax } from '../packages/tasks/dist/softmax.js'
import { FourierFeatures } from '../packages/tasks/dist/svm/fourier-features.js'
import { activations } from '../packages/tfjs/dist/dense/activations.js'
import { contraction, createTopology, graphKinds } from '../packages/topology/dist/index.js'

/** FNV-1a of the bytes of numbers as float64, or of a text. */
function hashOf(values) {
  const bytes = typeof values === 'string' ? new TextEncoder().encode(values) : bytesOf(values)
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function bytesOf(values) {
  // An engine may choose the bits of NaN.
  const numbers = Float64Array.from(values, (value) => (Number.isNaN(value) ? 12345.678 : value))
  return new Uint8Array(numbers.buffer)
}

const steps = Array.from({ length: 20_001 }, (_, k) => k - 10_000)
/** Edges, after steps of one size and of growing ones. */
const edges = [0, -0, 1, -1, 5e-324, -5e-324, 1e-310, 2 ** -1022, 2 ** -54, 2 ** -28, 710, -745.2, 2 ** 53, 1e22]
const beyond = [1e308, -1e308, Number.MAX_VALUE, Infinity, -Infinity, Number.NaN]
const over = (f, scale) => hashOf([...steps.map((k) => scale(k)), ...edges, ...beyond].map((x) => f(x)))
const evenly = (limit) => (k) => (k * limit) / 10_000
/** From 10⁻³⁰⁰ to 10³⁰⁰, with all bits of the fraction. */
const widely = (k) => (1 + (k + 10_000) / 7) * Number(`1e${Math.trunc(k * 0.0295)}`)

function functions() {
  const { cos, cosOfTurns, exp, expm1, exponentOf, expOfNegative, hypot, log, log1p, pow, sin, tanh } = core
  return {
    'sqrt, of the language': over(Math.sqrt, widely),
    'float32, of the language': over(Math.fround, widely),
    'squares, of the language': over((x) => x ** 2, widely),
    'powers of 2, of the language': hashOf(Array.from({ length: 2100 }, (_, k) => 2 ** (k - 1075))),
    'exp': over(exp, evenly(746)),
    'exp near 0': over(exp, evenly(1.5)),
    'expm1': over(expm1, evenly(60)),
    'expm1 near 0': over(expm1, evenly(1.5)),
    'expOfNegative': over((x) => expOfNegative(-Math.abs(x)), evenly(746)),
    'log': over(log, widely),
    'log near 1': over((x) => log(1 + x), evenly(0.9)),
    'log1p': over(log1p, widely),
    'log1p near 0': over(log1p, evenly(0.9)),
    'sin': over(sin, evenly(1000)),
    'sin far away': over(sin, widely),
    'cos': over(cos, evenly(1000)),
    'cosOfTurns': over(cosOfTurns, evenly(50)),
    'cos far away': over(cos, widely),
    'tanh': over(tanh, evenly(25)),
    'tanh near 0': over(tanh, evenly(0.5)),
    'pow': over((x) => pow(Math.abs(x), 1.7), evenly(30)),
    'pow of 0.999': over(
      (x) => pow(0.999, x),
      (k) => k
    ),
    'pow of whole numbers': over((x) => pow(x, 3), evenly(30)),
    'hypot': over((x) => hypot(x, 2.1, 0.3), widely),
    'exponentOf': over(exponentOf, widely)
  }
}

const peers = Array.from({ length: 16 }, (_, k) => `p${String(k).padStart(2, '0')}`)

function graphs() {
  const topologies = graphKinds.map(({ kind, example }) =>
    createTopology({ peers, graph: { kind, ...example(peers) }, latency: () => 1 })
  )
  const rows = (topology) =>
    Array.from({ length: Math.min(4, topology.period) }, (_, round) =>
      peers.map((peer) => topology.mixing(peer, round))
    )
  const random = Array.from({ length: 200 }, (_, seed) =>
    createTopology({ peers, graph: { kind: 'erdos-renyi', probability: 0.4, seed } })
  )
  const fastest = createTopology({ peers, graph: { kind: 'ring' }, weights: 'fastest' })
  return {
    'weights of all graphs': hashOf(JSON.stringify(topologies.map(rows))),
    'weights of random graphs': hashOf(JSON.stringify(random.map(rows))),
    'fastest weights': hashOf(JSON.stringify(rows(fastest))),
    'spectral gaps': hashOf(topologies.map((topology) => contraction(topology).spectralGap)),
    'constants of meetings': hashOf(random.slice(0, 20).flatMap((topology) => Object.values(constantsOn(topology))))
  }
}

function schedules() {
  const rates = (decay, warmup) =>
    hashOf(Array.from({ length: 600 }, (_, round) => rateSchedule({ initial: 0.1, decay, warmup }, 600)(round)))
  return {
    'cosine rates': rates('cosine', 7),
    'rates in steps': rates({ at: [100, 200, 300, 400], factor: 0.3 }, 0),
    'split sizes': hashOf([4, 96, 60].map((size) => bestSplitSize(size, size / 7, (count) => size / count + count)))
  }
}

function draws() {
  const random = (purpose) => createRandom(7, purpose)
  const targets = Uint8Array.from({ length: 3000 }, (_, k) => k % 10)
  const shares = [0.01, 0.3, 1, 10].flatMap((alpha) =>
    Array.from({ length: 100 }, (_, k) => dirichlet(alpha, 10, createRandom(k, 'shares'))).flat()
  )
  const parts = partition(targets, 10, { kind: 'dirichlet', alpha: 0.3 }, 16, random('partition'))
  const ratings = drawRatings({ users: 50, items: 40, ratings: 2000, rank: 5, noise: 0.1, zipf: 0.8, seed: 3 })
  const cost = (stragglers) => {
    const model = { perSample: 0.1, perStep: 1, slow: new Map(), stragglers }
    const time = computingCost(model, 5)
    return Array.from({ length: 2000 }, () => time({ kind: 'gradient', samples: 8 }, 'p00'))
  }
  const churn = drawChurn(random('churn'), peers, { perMinute: 0.3, back: 2e4, after: 0, until: 1e7 })
  const inputsOf = (source) => {
    const [size] = [source.inputShape.reduce((product, length) => product * length, 1)]
    const row = new Float32Array(size)
    return Array.from({ length: 40 }, (_, k) => (source.read(k, row), [...row])).flat()
  }
  return {
    'normal draws': hashOf(normals(20_000, random('normals'))),
    'Dirichlet shares': hashOf(shares),
    'Dirichlet partition': hashOf(parts.flatMap((part) => [part.length, ...part])),
    'drawn digits': hashOf(inputsOf(drawnDigits(40, 3))),
    'gaussians': hashOf(inputsOf(drawnGaussians(40, 3, 9))),
    'ratings': hashOf([...ratings.user, ...ratings.item, ...ratings.value]),
    'computing, exponential': hashOf(cost({ kind: 'shifted-exponential', mean: 3 })),
    'computing, log-normal': hashOf(cost({ kind: 'log-normal', sigma: 0.7 })),
    'churn': hashOf(churn.map(({ at }) => at))
  }
}

/** Parameters and losses of some steps of descent. */
function descent(model, start, count) {
  const x = Float32Array.from(start)
  const gradient = new Float32Array(x.length)
  const losses = []
  for (let step = 0; step < 20; step++) {
    const batch = Uint32Array.from({ length: 16 }, (_, k) => (7 * step + 3 * k) % count)
    gradient.fill(0)
    losses.push(model.gradient(x, 0, batch, gradient, step))
    for (let i = 0; i < x.length; i++) x[i] -= 0.1 * gradient[i]
  }
  return hashOf([...losses, ...x])
}

function training() {
  const samples = (classes) => {
    const inputs = Float32Array.from(normals(60 * 9, createRandom(2, 'inputs')))
    const targets = Float32Array.from({ length: 60 }, (_, k) => (k * k) % classes)
    return { count: 60, inputs, inputShape: [9], targets, targetShape: [], classes }
  }
  const start = (length) => normals(length, createRandom(4, 'start'))
  const softmax = new Softmax(samples(5), samples(5), 0.01)
  const logistic = new Logistic(samples(2), samples(2), 0.01)
  const settings = { scoring: 'complex', rank: 4, negatives: 6, adversarial: 1, l2: 0.01, n3: 0.01, seed: 5 }
  const graph = drawGraph({ entities: 30, rules: 2, seed: 2 })
  const knowledge = new KnowledgeGraph(graph, settings)
  const features = new FourierFeatures({ fourier: 64, gamma: 0.7 }, 9, 3)
  const row = new Float32Array(64)
  const mapped = Array.from({ length: 60 }, (_, k) => {
    features.apply(samples(2).inputs.subarray(9 * k, 9 * k + 9), row)
    return [...row]
  })
  const activated = Object.entries(activations).map(([name, { apply }]) => {
    const values = Float32Array.from(steps, evenly(20))
    apply?.(values)
    return [`the activation ${name}`, hashOf(values)]
  })
  return {
    'softmax regression': descent(softmax, start(softmax.length), 60),
    'logistic regression': descent(logistic, start(logistic.length), 60),
    'knowledge graph, start': hashOf(knowledge.initialise(1)),
    'knowledge graph': descent(new RowsModel(knowledge), knowledge.initialise(1), 60),
    'Fourier features': hashOf(mapped.flat()),
    ...Object.fromEntries(activated)
  }
}

/** The hashes by what they are of. */
export function engineBits() {
  return { ...functions(), ...graphs(), ...schedules(), ...draws(), ...training() }
}

const text = JSON.stringify(engineBits(), undefined, 2)
if (typeof document === 'undefined') console.log(text)
else document.body.append(Object.assign(document.createElement('pre'), { textContent: text }))
