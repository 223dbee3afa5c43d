/**
 * The distances that peers report are those between models, and none is reported where an algorithm sends something
 * else.
 */
import { algorithms, train } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import type { PeerName, StepReport } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import { peersOf } from './recursion.js'
import { inSimulator } from './worlds.js'

const topology = createTopology({ peers: peersOf(3), graph: { kind: 'complete' } })
const [rounds, finalRounds] = [6, 2]

type Report = Pick<StepReport, 'phase' | 'disagreement' | 'distances'>

/** The reports of all peers, in order. */
async function reportsOf(name: string): Promise<ReadonlyMap<PeerName, readonly Report[]>> {
  const algorithm = algorithms.find((each) => each.name === name)
  if (algorithm === undefined) throw new Error(name)
  const { taskOf } = quadratics(topology)
  const common = { seed: 1, batchSize: 2, timeout: 1000, rate: () => 0.1, workers: topology.peers }
  const reports = new Map<PeerName, Report[]>(topology.peers.map((peer) => [peer, []]))
  await inSimulator({ topology, seed: 1, length: 4 }, async (fabric) => {
    const settings = { ...common, algorithm, rounds, finalRounds, options: name === 'moniqua' ? { theta: 40 } : {} }
    for await (const { phase, disagreement, distances } of train(fabric, taskOf(fabric.self), settings))
      reports.get(fabric.self)?.push({ phase, disagreement, distances })
  })
  return reports
}

for (const name of ['dpsgd', 'd2', 'gossip-pga', 'gradient-tracking', 'moshpit', 'trimmed-mean'])
  test(`${name}: each round gives the distance of every neighbour`, async (t) => {
    for (const steps of (await reportsOf(name)).values())
      for (const { disagreement, distances } of steps) {
        const mean = distances.reduce((sum, { distance }) => sum + distance ** 2, 0) / distances.length
        t.is(disagreement, Math.sqrt(mean))
      }
  })

for (const name of [
  'sgp',
  'overlap-sgp',
  'robust-push-sum',
  'moniqua',
  'choco',
  'deepsqueeze',
  'gasloc',
  'noloco',
  'all-reduce'
])
  test(`${name}: what is sent is no model, so no distance is given in training`, async (t) => {
    for (const steps of (await reportsOf(name)).values())
      for (const { phase, disagreement, distances } of steps) {
        t.is(disagreement === undefined, phase === 'train')
        t.is(distances.length, phase === 'train' ? 0 : 2)
      }
  })
