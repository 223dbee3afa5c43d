/**
 * The distances that peers report are those between models, and none is reported where an algorithm sends something
 * else.
 */
import { algorithms, optionsOn, train } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import type { PeerName, StepReport } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import { peersOf } from './recursion.js'
import { inSimulator } from './worlds.js'

const rounds = 6
const finalRounds = 2

type Report = Pick<StepReport, 'phase' | 'disagreement' | 'distances'>

/** The reports of all peers, in order. */
async function reportsOf(name: string): Promise<ReadonlyMap<PeerName, readonly Report[]>> {
  const algorithm = algorithms.find((each) => each.name === name)
  if (algorithm === undefined) throw new Error(name)
  const kind = algorithm.needs.graph === 'tree' ? 'star' : 'complete'
  const topology = createTopology({ peers: peersOf(3), graph: { kind } })
  const { taskOf } = quadratics(topology)
  const options = optionsOn(algorithm, topology, name === 'moniqua' ? { theta: 40 } : {})
  const common = { seed: 1, batchSize: 2, timeout: 1000, rate: () => 0.1, workers: topology.peers }
  const reports = new Map<PeerName, Report[]>(topology.peers.map((peer) => [peer, []]))
  await inSimulator({ topology, seed: 1, length: 4 }, async (fabric) => {
    const settings = { ...common, algorithm, rounds, finalRounds, options }
    for await (const { phase, disagreement, distances } of train(fabric, taskOf(fabric.self), settings))
      reports.get(fabric.self)?.push({ phase, disagreement, distances })
  })
  return reports
}

/** Those whose messages are the models that a round mixes. */
const withModels = new Set(
  [
    ['dpsgd', 'd2', 'exact-diffusion', 'gradient-tracking', 'qg-dsgdm', 'gossip-pga', 'moshpit'],
    ['trimmed-mean', 'coordinate-median', 'krum', 'clipped-gossip', 'cs-plus', 'cola']
  ].flat()
)
/** Servers send ranges only, and late gossip sends models in some rounds. */
const others = algorithms.filter(
  ({ name, server }) => !withModels.has(name) && name !== 'late-gossip' && server === undefined
)

for (const name of withModels)
  test(`${name}: each round gives the distance of every neighbour`, async (t) => {
    for (const steps of (await reportsOf(name)).values())
      for (const { disagreement, distances } of steps) {
        const mean = distances.reduce((sum, { distance }) => sum + distance ** 2, 0) / distances.length
        t.is(disagreement, Math.sqrt(mean))
      }
  })

for (const { name, needs } of others)
  test(`${name}: what is sent is no model of this round, so no distance is given in training`, async (t) => {
    const neighbours = needs.graph === 'tree' ? [1, 2] : [2]
    for (const steps of (await reportsOf(name)).values())
      for (const { phase, disagreement, distances } of steps) {
        t.is(disagreement === undefined, phase === 'train')
        t.true(phase === 'train' ? distances.length === 0 : neighbours.includes(distances.length))
      }
  })
