import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PeerName, Task } from '@murmuration/core'
import { localDataOf } from '@murmuration/data'
import { createTfjsTask } from '@murmuration/tfjs'
import { createTopology } from '@murmuration/topology'
import { distance, mean, unpack } from '@murmuration/vectors'
import test from 'ava'
import { algorithmOf, dedicated, historyOf, type MethodSettings, namesOf } from './central-worlds.js'
import { type DpsgdOptions, dpsgd } from './gossip.js'
import { plainSgd } from './plain-sgd.js'
import { complete, inSimulator } from './worlds.js'

const workers = namesOf(3)
const frozen = Float32Array.of(0.1, -3, 1e30)
const statistic = Float32Array.of(4, -2)
const ofBatch = Float32Array.of(8, 8)
const momentum = 0.75
const rounds = 4

/** `½‖x‖²` of four trained numbers, among three frozen ones and two statistics whose batches are all the same. */
const task: Task = {
  schema: [
    { name: 'first', shape: [2] },
    { name: 'frozen', shape: [3], kind: 'frozen' },
    { name: 'statistic', shape: [2], kind: 'statistic', momentum },
    { name: 'last', shape: [2] }
  ],
  samples: 6,
  about: {},
  initialise: () => ({
    kind: 'initialise',
    samples: 0,
    run: async () => Float32Array.of(1, 2, ...frozen, ...statistic, 3, 4)
  }),
  gradient: (x, batch) => ({
    kind: 'gradient',
    samples: batch.length,
    run: async () => ({ loss: 1, vector: Float32Array.of(x[0], x[1], 0, 0, 0, ...ofBatch, x[7], x[8]) })
  }),
  evaluate: () => ({ kind: 'evaluate', samples: 1, run: async () => ({ loss: 1 }) })
}

const training = { seed: 1, batchSize: 2, rounds, rate: () => 0.1, weightDecay: 0.5 }
const optimiser = { name: 'sgd', momentum: 0.9, nesterov: true }
const common = { ...training, optimiser, timeout: 1000 }
const streamed = { chunks: 2 }

/** Each with how many steps the statistics take: an asynchronous server takes one for every worker. */
const methods: readonly (readonly [string, Omit<MethodSettings, keyof typeof common>, number?])[] = [
  ['D-PSGD, combine-then-adapt', { algorithm: 'dpsgd', finalRounds: 3 }],
  ['D-PSGD, adapt-then-combine', { algorithm: 'dpsgd', finalRounds: 3, options: { order: 'adapt-then-combine' } }],
  ['an all-reduce', { algorithm: 'all-reduce', options: streamed }],
  ['local SGD', { algorithm: 'local-sgd', options: { ...streamed, period: 2 } }],
  ['D-PSGD with clipped gradients', { algorithm: 'dpsgd', finalRounds: 3, clip: 0.5 }],
  ['SlowMo', { algorithm: 'slowmo', options: { period: 2 } }],
  ['NoLoCo', { algorithm: 'noloco', finalRounds: 3, options: { period: 2 } }],
  ['QG-DSGDm', { algorithm: 'qg-dsgdm', finalRounds: 3 }],
  ['GASLoC', { algorithm: 'gasloc', finalRounds: 3, options: { period: 2 } }],
  ['DiLoCo', { algorithm: 'diloco', options: { period: 2 } }],
  ['plain SGD', { algorithm: 'sgd' }],
  ['a parameter server', { algorithm: 'parameter-server', options: streamed }],
  ['an asynchronous parameter server', { algorithm: 'async-parameter-server', options: streamed }, 3 * rounds],
  ['asynchronous DiLoCo', { algorithm: 'async-diloco', options: { ...streamed, period: 2 } }, 3 * rounds],
  ['a stale synchronous parameter server', { algorithm: 'stale-synchronous', options: { ...streamed, staleness: 0 } }]
]

for (const [title, method, steps = rounds] of methods) {
  test(`what is frozen never changes, and statistics have neither velocity nor decay nor rate: ${title}`, async (t) => {
    const servers = algorithmOf(method.algorithm).server === undefined ? [] : dedicated(2)
    const { reports, ends } = await historyOf({ workers, servers, taskOf: () => task }, { ...common, ...method })
    for (const { parameters } of reports.flat()) t.deepEqual(unpack(task.schema, parameters)[1], frozen)
    for (const [place, end] of ends.entries()) {
      const [first, , moved, last] = unpack(task.schema, end)
      // For the asynchronous server these are bounds: it averages several runs over workers of which not all have
      // ended.
      const expected = statistic.map((value, k) => ofBatch[k] + momentum ** steps * (value - ofBatch[k]))
      const trained = [...first, ...last]
      if (steps === rounds) {
        t.true(distance(moved, expected) < 1e-5, `worker ${place}: ${moved}, not ${expected}`)
        t.true(trained.every((value, k) => value < k + 1))
      } else {
        t.true(moved.every((value, k) => value > statistic[k] && value < ofBatch[k]))
        t.true(trained.every((value, k) => value !== k + 1))
      }
    }
  })
}

test('the oracle leaves what is frozen, and moves statistics by their own momentum', async (t) => {
  for await (const { round, parameters } of plainSgd(task, {
    ...training,
    momentum: 0.9,
    nesterov: true,
    shards: [{ name: workers[0], samples: 6 }]
  })) {
    const [, still, moved] = unpack(task.schema, parameters)
    t.deepEqual(still, frozen)
    const expected = statistic.map((value, k) => ofBatch[k] + momentum ** (round + 1) * (value - ofBatch[k]))
    t.true(distance(moved, expected) < 1e-5)
  }
})

/** A network with batch normalisation first and within, momentum 0.9 for both; `made` collects the models. */
const source = `
  export const made = []
  export const createModel = (tf, { inputShape, classes }) => {
    const l = tf.layers
    const model = tf.sequential({ layers: [
      l.batchNormalization({ inputShape, momentum: 0.9 }),
      l.dense({ units: 5, activation: 'relu' }),
      l.batchNormalization({ momentum: 0.9 }),
      l.dense({ units: classes })
    ] })
    made.push({ tf, model })
    return model
  }
  const values = Array.from({ length: 60 }, (_, i) => [i % 3, ...[1, 2, 3, 4].map((k) => 3 * Math.sin(k * i * i) + (i % 3) * k)])
  export const inputs = Float32Array.from(values.flatMap(([, ...x]) => x))
  export const targets = Float32Array.from(values.map(([y]) => y))
  export const loadSamples = () => ({ count: 60, inputs, inputShape: [4], targets, targetShape: [], classes: 3 })
  /** The last model's weights, in the order of the layers, after steps of TensorFlow.js's own momentum optimiser. */
  export const trainAlone = (start, { count, inputs, targets }, steps) => {
    const { tf, model } = made.at(-1)
    let next = 0
    const take = ({ shape: [size] }, rest) => tf.tensor(start.slice(next, (next += size * (rest ?? 1))), rest ? [size, rest] : [size])
    for (const layer of model.layers) layer.setWeights(layer.weights.map((weight) => take(weight, weight.shape[1])))
    const [x, y] = [tf.tensor(inputs, [count, 4]), tf.oneHot(tf.tensor(targets, [count], 'int32'), 3)]
    const optimizer = tf.train.momentum(0.1, 0.9)
    const variables = model.trainableWeights.map((weight) => weight.read())
    const loss = () => tf.losses.softmaxCrossEntropy(y, model.apply(x, { training: true }))
    for (let step = 0; step < steps; step++) optimizer.minimize(loss, false, variables)
    return model.layers.flatMap((layer) => layer.weights.map((weight) => weight.read().dataSync().slice()))
  }`

interface Reference {
  loadSamples(): Parameters<typeof localDataOf>[0]
  trainAlone(start: Float32Array, samples: ReturnType<typeof localDataOf>['train'], steps: number): Float32Array[]
}

async function moduleOf(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'model.mjs')
  await writeFile(path, source)
  return path
}

/** The final parameters of every peer. */
async function train(
  topology: ReturnType<typeof complete>,
  taskOf: (self: PeerName) => Promise<Task>,
  options: Partial<DpsgdOptions>
): Promise<readonly Float32Array[]> {
  const ends: Float32Array[] = []
  await inSimulator({ topology, seed: 1, length: 7850 }, async (fabric) => {
    const common = { ...training, momentum: 0.9, weightDecay: 0, finalRounds: 0, timeout: 1000 }
    const steps = dpsgd(fabric, await taskOf(fabric.self), { ...common, order: 'adapt-then-combine', ...options })
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    ends[topology.peers.indexOf(fabric.self)] = step.value.slice()
  })
  return ends
}

const localDataOptionsOf = (peers: readonly PeerName[], partition: 'equal' | 'label', self?: PeerName) => ({
  testFraction: 0.2,
  partition: { kind: partition },
  peers,
  seed: 1,
  ...(self === undefined ? {} : { self })
})

test('batch normalisation under momentum 0.9 on the complete graph is what TensorFlow.js trains in one place', async (t) => {
  const path = await moduleOf()
  const peers = namesOf(3, 'p')
  // Every peer has all samples and uses all of them in every step, so that the joint batch has the statistics of each.
  const taskOf = () =>
    createTfjsTask({ localData: localDataOptionsOf(peers, 'equal'), model: { kind: 'module', path } })
  const alone = await taskOf()
  const start = await alone.initialise(1).run()
  const count = 150
  const ends = await train(complete(...peers), taskOf, { rounds: count, batchSize: alone.samples })
  const module = (await import(pathToFileURL(path).href)) as Reference
  const { train: samples } = localDataOf(module.loadSamples(), localDataOptionsOf(peers, 'equal'))
  const expected = module.trainAlone(start, samples, count)
  const names = alone.schema.map(({ name }) => name)
  for (const end of ends) {
    for (const [index, part] of unpack(alone.schema, end).entries()) {
      const difference = distance(part, expected[index])
      t.true(
        difference < 2e-3 * (1 + Math.hypot(...expected[index])),
        `${names[index]}: ${[...part]}, not ${[...expected[index]]}`
      )
    }
  }
})

test('moving variances stay among those of the batches where peers with different data gossip under momentum', async (t) => {
  const path = await moduleOf()
  const peers = namesOf(6, 'p')
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  for (const order of ['combine-then-adapt', 'adapt-then-combine'] as const) {
    const taskOf = (self: PeerName) =>
      createTfjsTask({ localData: localDataOptionsOf(peers, 'label', self), model: { kind: 'module', path } })
    const ends = await train(topology, taskOf, { rounds: 60, batchSize: 4, order, finalRounds: 30 })
    const { schema } = await taskOf(peers[0])
    const [, , means, variances] = unpack(schema, mean(ends))
    for (const k of [0, 1, 2, 3]) {
      t.true(Math.abs(means[k] - (k + 1)) < 1.5, `mean ${k}: ${means[k]}`)
      // Values lie within 3 of the middle of their class: no batch of one class has a variance above 9.
      t.true(variances[k] > 1 && variances[k] < 9, `variance ${k}: ${variances[k]}`)
    }
  }
})
