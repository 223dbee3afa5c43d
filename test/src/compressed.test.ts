/** What algorithms compress themselves: the bytes on links, in both worlds, and the effect on training. */
import { type Algorithm, algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { peerName, type PeerName } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { distance, mean, norm } from '@murmuration/vectors'
import { frameHeaderLength } from '@murmuration/wire'
import test from 'ava'
import { inSimulator, overLibp2p, simulated, type WorldProgram } from './worlds.js'

const recordOf = (name: string) => algorithms.find((each) => each.name === name) as Algorithm
const peers = ['a', 'b', 'c', 'd'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'ring' } })

/** Trains on quadratics of `dimension` numbers, and passes every peer's parameters to `ends`. */
function training(
  dimension: number,
  given: Pick<TrainingSettings, 'algorithm' | 'options' | 'rounds' | 'rate'>,
  ends: Map<PeerName, Float32Array>
): WorldProgram {
  return async (fabric) => {
    const task = createQuadraticTask({ peers, self: fabric.self, seed: 8, heterogeneity: 0.5, dimension })
    const settings = { seed: 1, batchSize: 1, timeout: timeLimit(20_000), workers: peers, ...given }
    for await (const { parameters } of train(fabric, task, settings)) ends.set(fabric.self, parameters.slice())
  }
}

/** For 100 numbers; packed.ts describes the layout of the bodies. */
const bodies: readonly (readonly [string, object, number])[] = [
  ['5 numbers and their gaps', { name: 'top-k', fraction: 0.05 }, 1 + 4 + 5 * 4 + 1 + 5],
  [
    'the means of two bins, 8 bits for 8 numbers, and their gaps',
    { name: 'top-k', fraction: 0.08, bits: 1 },
    1 + 4 + 1 + 2 * 4 + 1 + 1 + 8
  ],
  ['their magnitude and a bit for each', { name: 'sign' }, 1 + 4 + 1 + 13]
]

for (const [what, compressor, bytes] of bodies) {
  test(`CHOCO-SGD with ${JSON.stringify(compressor)} sends ${bytes} bytes a round and neighbour in both worlds, ${what}, to the same result`, async (t) => {
    const rounds = 6
    const given = { algorithm: recordOf('choco'), options: { compressor, consensus: 0.1 }, rounds, rate: () => 0.1 }
    for (const codec of ['float32', 'delta-int8']) {
      const options = { topology, seed: 3, length: 100, codec }
      const here = new Map<PeerName, Float32Array>()
      const there = new Map<PeerName, Float32Array>()
      const { bytes: sent, messages } = await simulated(options, training(100, given, here))
      let started: readonly Peer[] = []
      await overLibp2p(options, training(100, given, there), (all) => (started = all))
      t.is(messages, 4 * 2 * rounds)
      t.is(sent, messages * (frameHeaderLength + bytes))
      for (const peer of started) t.is(peer.traffic().sent.payload, 2 * rounds * bytes)
      for (const peer of peers) t.deepEqual(there.get(peer), here.get(peer))
    }
  })
}

test('at 1 % of the coordinates CHOCO-SGD gets to within 2 % of the optimum, and DCD-PSGD diverges (Koloskova 2019, section 5.3)', async (t) => {
  const dimension = 100
  const rate = (k: number) => 0.3 / (1 + k / 100)
  const missOf = async (name: string, options: TrainingSettings['options']) => {
    const ends = new Map<PeerName, Float32Array>()
    const run = training(dimension, { algorithm: recordOf(name), options, rounds: 1500, rate }, ends)
    try {
      await inSimulator({ topology, seed: 3, length: dimension }, run)
    } catch (error) {
      t.is((error as Error).name, 'DivergedError')
      return Number.POSITIVE_INFINITY
    }
    const optimum = Float32Array.from(createQuadraticTask({ peers, seed: 8, heterogeneity: 0.5, dimension }).optimum)
    return distance(mean(peers.map((peer) => ends.get(peer) as Float32Array)), optimum) / norm(optimum)
  }
  const choco = await missOf('choco', { compressor: { name: 'top-k', fraction: 0.01 }, consensus: 0.04 })
  t.true(choco < 0.02, `${choco}`)
  const dcd = await missOf('dcd-psgd', { compressor: { name: 'random-k', fraction: 0.01, unbiased: true } })
  t.true(dcd > 1, `${dcd}`)
})
