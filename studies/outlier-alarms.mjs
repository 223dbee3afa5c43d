// How often D-PSGD reports a neighbour as an outlier although no peer is faulty: rings, a star, a complete graph and
// exponential graphs of eight softmax peers, with data divided by label, unevenly and evenly, in both orders, with
// momentum, with batches of one sample, and with rates that rise, jump and fall. Three seeds each.
//
//   node studies/outlier-alarms.mjs
import { dpsgd, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createSoftmaxTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { vectorWire } from '@murmuration/wire'

const peers = Array.from({ length: 8 }, (_, k) => peerName(`p${k}`))
const usual = { graph: 'ring', partition: { kind: 'label' }, order: 'combine-then-adapt', momentum: 0 }
const training = { batchSize: 16, rounds: 100, finalRounds: 20, rate: () => 0.1 }
const cases = {
  'as usual': {},
  'momentum 0.9': { momentum: 0.9 },
  'adapt-then-combine': { order: 'adapt-then-combine' },
  'the rate rises': { rate: (k) => 0.2 * Math.min(1, (k + 1) / 20) },
  'the rate jumps': { rate: (k) => (k < 60 ? 0.02 : 0.4) },
  'the rate falls': { rate: (k) => (k < 60 ? 0.4 : 0.02) },
  'a rate of 50': { rate: () => 50 },
  'Dirichlet 0.1': { partition: { kind: 'dirichlet', alpha: 0.1 } },
  'equal parts': { partition: { kind: 'equal' } },
  'batches of 1': { batchSize: 1 },
  'a hundred final averaging rounds': { rounds: 50, finalRounds: 100 },
  ...Object.fromEntries(['star', 'complete', 'exponential', 'one-peer-exponential'].map((graph) => [graph, { graph }]))
}

async function alarmsOf({ graph, partition, ...options }, seed) {
  const topology = createTopology({ peers, graph: { kind: graph } })
  const localData = { data: { kind: 'digits', samples: 600 }, testFraction: 0.2, partition, peers, seed }
  const links = uniformLinks({ latency: 10 })
  let alarms = 0
  await simulate({ topology, seed, wire: vectorWire, links, cost: ({ samples }) => samples }, async (fabric) => {
    const task = await createSoftmaxTask({ localData: { ...localData, self: fabric.self } })
    const { order, momentum, ...rest } = options
    const optimiser = { name: 'sgd', momentum }
    const common = { seed: 1, weightDecay: 1e-4, timeout: 1e6, workers: peers, optimiser }
    const steps = train(fabric, task, { algorithm: dpsgd, options: { order }, ...common, ...rest })
    for await (const { outliers } of steps) alarms += outliers.length
  })
  return alarms
}

for (const [name, options] of Object.entries(cases)) {
  const alarms = []
  for (const seed of [1, 2, 3]) alarms.push(await alarmsOf({ ...usual, ...training, ...options }, seed))
  console.log(`${name.padEnd(26)} ${alarms.join('  ')}`)
}
