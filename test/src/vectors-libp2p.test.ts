import { algorithms, type Algorithm, train } from '@murmuration/algorithms'
import { quadratics, vectorLength } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import { overLibp2p } from './worlds.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)

/** How many vectors each peer has taken from fresh memory beyond those that it owns, after each round. */
async function beyond(algorithm: Algorithm): Promise<number[][]> {
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const { taskOf } = quadratics(topology)
  const optimiser = { name: 'adamw' }
  const settings = { algorithm, optimiser, weightDecay: 1e-3, seed: 1, batchSize: 4, rounds: 30, rate: () => 0.01 }
  const taken = peers.map((): number[] => [])
  let all: readonly Peer[] = []
  await overLibp2p(
    { topology, seed: 1, length: vectorLength },
    async (fabric) => {
      const place = peers.indexOf(fabric.self)
      for await (const { round } of train(fabric, taskOf(fabric.self), {
        ...settings,
        timeout: 60_000,
        workers: peers
      })) {
        taken[place][round] = all[place].vectorsBeyond
      }
    },
    (ready) => {
      all = ready
    }
  )
  return taken
}

for (const name of ['dpsgd', 'gradient-tracking', 'sgp', 'trimmed-mean', 'all-reduce', 'gossip-pga']) {
  test.serial(`${name} takes no vector from fresh memory once its first rounds are over`, async (t) => {
    const algorithm = algorithms.find((each) => each.name === name) as Algorithm
    for (const [place, taken] of (await beyond(algorithm)).entries()) {
      t.is(taken.at(-1), taken[16], `${peers[place]}: ${taken}`)
    }
  })
}
