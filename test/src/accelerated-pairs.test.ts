/** A²CiD²: constants of graphs, published times to consensus, and what the record keeps. */
import { type Algorithm, algorithms, optionsOn, resistancesOf, Session, type Vector } from '@murmuration/algorithms'
import { poisonedFabric } from '@murmuration/contract'
import type { Fabric, PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { type Faults, simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import { peersOf } from './recursion.js'

const topologyOf = (size: number, graph: GraphDescription = { kind: 'ring' }) =>
  createTopology({ peers: peersOf(size), graph })
const near = (x: number, y: number) => Math.abs(x - y) < 1e-6 * Math.abs(y)

test('χ₁ and χ₂ of rings, stars and complete graphs are those of their closed forms', (t) => {
  for (const n of [3, 8, 33]) {
    const ring = resistancesOf(topologyOf(n))
    t.true(near(ring.χ1, 1 / (2 - 2 * Math.cos((2 * Math.PI) / n))) && near(ring.χ2, (1 - 1 / n) / 2))
    const star = resistancesOf(topologyOf(n, { kind: 'star' }))
    const centre = 1 + 1 / (n - 1)
    t.true(near(star.χ1, 1 / centre) && near(star.χ2, 1 / centre / 2))
    const complete = resistancesOf(topologyOf(n, { kind: 'complete' }))
    t.true(near(complete.χ1, (n - 1) / 2 / n) && near(complete.χ2, (n - 1) / 2 / n))
  }
  t.throws(() => resistancesOf(topologyOf(1025)), { message: /2 to 1024 peers, and found 1025; set them/ })
})

/**
 * The time until disagreement is 10⁻⁶ of its start, where each peer meets one neighbour per unit of time on average.
 */
function timeToConsensus(n: number, η: number, α: number, seed: number): number {
  const random = createRandom(seed, 'meetings')
  const x = Array.from({ length: n }, () => random.normal())
  const mean = x.reduce((sum, value) => sum + value, 0) / n
  for (const i of x.keys()) x[i] -= mean
  const tilde = [...x]
  const last = x.map(() => 0)
  const first = Math.hypot(...x)
  for (let now = 0, meetings = 1; ; meetings++) {
    now -= (2 / n) * Math.log(1 - random.uniform())
    const i = random.integer(n)
    const j = (i + 1) % n
    for (const k of [i, j]) {
      const d = ((1 - Math.exp(-2 * η * (now - last[k]))) / 2) * (tilde[k] - x[k])
      x[k] += d
      tilde[k] -= d
      last[k] = now
    }
    const d = x[i] - x[j]
    x[i] -= d / 2
    x[j] += d / 2
    tilde[i] -= α * d
    tilde[j] += α * d
    if (meetings % n === 0 && Math.hypot(...x) < 1e-6 * first) return now
  }
}

/** The median of five. */
function median(of: (seed: number) => number): number {
  return [0, 1, 2, 3, 4].map(of).sort((a, b) => a - b)[2]
}

test('with the constants of a ring, consensus at Poisson meetings takes the published times (Nabli 2023), ±15 %', (t) => {
  const published: readonly (readonly [number, number, number])[] = [
    [16, 350, 122],
    [32, 1277, 234],
    [64, 5181, 458]
  ]
  for (const [n, plain, accelerated] of published) {
    const { χ1, χ2 } = resistancesOf(topologyOf(n))
    // A peer of the record asks once per step and is asked as often: it meets twice.
    const η = 1 / (2 * Math.sqrt(χ1 * χ2)) / 2
    const α = Math.sqrt(χ1 / χ2) / 2
    const found = [median((seed) => timeToConsensus(n, 0, 0.5, seed)), median((seed) => timeToConsensus(n, η, α, seed))]
    t.log(`ring of ${n}: ${found.map(Math.round).join(' → ')}, published ${plain} → ${accelerated}`)
    t.true(Math.abs(found[0] / plain - 1) < 0.15 && Math.abs(found[1] / accelerated - 1) < 0.15, found.join())
  }
})

interface Pace {
  readonly size: number
  readonly rounds: number
  /** How long a gradient takes; 5 ms when absent. */
  readonly cost?: (peer: PeerName) => number
  readonly events?: Faults['events']
}

/**
 * Peers that start apart and have no gradients: disagreement after every round, and by how much Σ x and Σ (x + x̃) have
 * moved.
 */
async function meetings(name: string, { size, rounds, cost = () => 5, events = [] }: Pace) {
  const topology = topologyOf(size)
  const dimension = 4
  const options = optionsOn(named(name), topology) as { pull?: number }
  const starts = topology.peers.map((_, i) => {
    const random = createRandom(5, `start ${i}`)
    return Float32Array.from({ length: dimension }, () => random.normal())
  })
  const ends = new Map<PeerName, readonly Float32Array[]>()
  const models = Array.from({ length: rounds }, () => [] as Float32Array[])
  let late = 0
  const program = async (fabric: Fabric<VectorMessage>) => {
    const place = topology.peers.indexOf(fabric.self)
    const task = createQuadraticTask({ peers: topology.peers, self: fabric.self, seed: 1, dimension })
    const settings = { algorithm: named(name), options, seed: 3, batchSize: 1, rounds, rate: () => 0 }
    const all = { ...settings, timeout: 100, workers: topology.peers }
    const session = new Session(fabric, task, all, () => starts[place].slice())
    for await (const { round, parameters, late: from = [] } of session.steps()) {
      models[round].push(parameters.slice())
      late += from.length
    }
    ends.set(
      fabric.self,
      [session.state.x, session.state.z ?? session.state.x].map((v) => (v as Vector).values.slice())
    )
  }
  const world = { topology, seed: 4, wire: vectorWire, links: uniformLinks({ latency: 10 }) }
  await simulate({ ...world, cost: (_, peer) => cost(peer), faults: { rules: [], events } }, (fabric) =>
    program(poisonedFabric(fabric))
  )
  const { pull = 0.5 } = options
  const moved = (sumOf: (x: number, tilde: number) => number) =>
    Math.max(
      ...starts[0].map((_, d) => {
        const before = starts.reduce((sum, start) => sum + sumOf(start[d], start[d]), 0)
        const after = [...ends.values()].reduce((sum, [x, z]) => sum + sumOf(x[d], z[d] + 2 * pull * x[d]), 0)
        return Math.abs(after - before)
      })
    )
  return {
    distances: [starts, ...models].map(distanceOf),
    late,
    xMoved: moved((x) => x),
    bothMoved: moved((x, tilde) => (x + tilde) / 2)
  }
}

function distanceOf(all: readonly Float32Array[]): number {
  const mean = all[0].map((_, d) => all.reduce((sum, x) => sum + x[d], 0) / all.length)
  return Math.hypot(...all.flatMap((x) => [...x].map((value, d) => value - mean[d])))
}

function named(name: string): Algorithm {
  return algorithms.find((each) => each.name === name) as Algorithm
}

test('on a ring of 16 the record needs less than half of AD-PSGD’s steps to a thousandth, and keeps the mean', async (t) => {
  const stepsOf = ({ distances }: { distances: readonly number[] }) =>
    distances.findIndex((distance) => distance < 1e-3 * distances[0])
  const plain = await meetings('ad-psgd', { size: 16, rounds: 120 })
  const accelerated = await meetings('a2cid2', { size: 16, rounds: 60 })
  t.log(stepsOf(plain), stepsOf(accelerated), accelerated.xMoved, accelerated.bothMoved)
  t.true(stepsOf(accelerated) > 0 && stepsOf(accelerated) < stepsOf(plain) / 2)
  t.true(accelerated.xMoved < 1e-5)
})

test('with uneven paces and links that stop for longer than a timeout, Σ (x + x̃) is kept', async (t) => {
  const [a, b] = peersOf(5)
  const stopped = [0, 200, 400].flatMap((at) => [
    { at: 45 + at, kind: 'clog', from: b, to: a } as const,
    { at: 195 + at, kind: 'unclog', from: b, to: a } as const
  ])
  const cost = (peer: PeerName) => 3 + 4 * peersOf(5).indexOf(peer)
  const { late, bothMoved, xMoved } = await meetings('a2cid2', { size: 5, rounds: 40, cost, events: stopped })
  t.log(late, bothMoved, xMoved)
  t.true(late > 0)
  t.true(bothMoved < 1e-5)
})
