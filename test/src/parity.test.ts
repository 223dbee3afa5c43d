import { averaging } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type PeerName, peerName, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { createSoftmaxTask } from '@murmuration/tasks'
import { applyMixing, contraction, createTopology, mixingMatrix } from '@murmuration/topology'
import { bodyOf, consensusDistance } from '@murmuration/vectors'
import test from 'ava'
import { dpsgd } from './gossip.js'
import { inSimulator, overLibp2p, type WorldProgram, type WorldOptions } from './worlds.js'

type World = (options: WorldOptions, program: WorldProgram) => Promise<unknown>

/** Trains a softmax regression with D-PSGD and returns each peer's final parameters. */
async function trained(world: World, topology: Topology, order: 'combine-then-adapt' | 'adapt-then-combine') {
  const ends = new Map<PeerName, Float32Array>()
  const localData = {
    data: { kind: 'digits', samples: 300 },
    testFraction: 0.2,
    partition: { kind: 'dirichlet', alpha: 0.5 },
    peers: topology.peers,
    seed: 5
  } as const
  await world({ topology, seed: 11, length: 7850 }, async (fabric) => {
    const task = await createSoftmaxTask({ localData: { ...localData, self: fabric.self } })
    const steps = dpsgd(fabric, task, {
      seed: 1,
      batchSize: 16,
      rounds: 25,
      finalRounds: 5,
      rate: (k) => 0.1 / (1 + k / 10),
      order,
      momentum: 0.9,
      nesterov: false,
      weightDecay: 1e-4,
      timeout: timeLimit(20_000)
    })
    for await (const { parameters } of steps) ends.set(fabric.self, parameters.slice())
  })
  return topology.peers.map((peer) => ends.get(peer))
}

const names = (count: number) => Array.from({ length: count }, (_, k) => peerName(`p${k}`))

for (const [title, topology, order] of [
  ['a ring of 4', createTopology({ peers: names(4), graph: { kind: 'ring' } }), 'combine-then-adapt'],
  ['a ring of 5, adapting first', createTopology({ peers: names(5), graph: { kind: 'ring' } }), 'adapt-then-combine'],
  [
    'one-peer exponential, directed and changing by round',
    createTopology({ peers: names(4), graph: { kind: 'one-peer-exponential' } }),
    'combine-then-adapt'
  ]
] as const) {
  test(`D-PSGD gives the same bits on libp2p and in the simulator: ${title}`, async (t) => {
    const simulated = await trained(inSimulator, topology, order)
    const real = await trained(overLibp2p, topology, order)
    t.is(simulated.length, topology.peers.length)
    for (const [place, x] of simulated.entries()) {
      t.is(x?.length, 7850)
      t.deepEqual(bodyOf(real[place] as Float32Array), bodyOf(x as Float32Array))
    }
  })
}

test('real peers that average random vectors compute W^k x₀ within 1e-5, and disagreement falls as the spectral gap promises', async (t) => {
  const topology = createTopology({ peers: names(6), graph: { kind: 'ring' } })
  const length = 100_000
  const rounds = 12
  const starts = topology.peers.map((peer) => {
    const draws = createRandom(21, peer)
    return Float32Array.from({ length }, () => draws.normal())
  })
  const states: Float32Array[][] = Array.from({ length: rounds }, () => [])
  await overLibp2p({ topology, seed: 1, length }, async (fabric) => {
    const place = topology.peers.indexOf(fabric.self)
    const steps = averaging(fabric, starts[place], { rounds, timeout: timeLimit(20_000) })
    for await (const { round, parameters } of steps) states[round][place] = parameters.slice()
  })

  const matrix = mixingMatrix(topology, 0)
  let worst = 0
  for (let element = 0; element < length; element += 7) {
    let exact: Float64Array = Float64Array.from(starts, (start) => start[element])
    for (const models of states) {
      exact = applyMixing(matrix, exact)
      for (const [place, value] of exact.entries()) worst = Math.max(worst, Math.abs(models[place][element] - value))
    }
  }
  t.log(`largest difference from W^k x₀ in float64: ${worst}`)
  t.true(worst < 1e-5)
  const { perRound } = contraction(topology)
  for (const [k, models] of states.entries()) {
    t.true(consensusDistance(models) <= perRound ** (k + 1) * consensusDistance(starts) + 1e-4)
  }
})
