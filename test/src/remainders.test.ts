/** Moniqua: bytes on the wire, its final error, and that neighbours too far apart for their remainders are detected. */
import { type Algorithm, algorithms, Session } from '@murmuration/algorithms'
import { DivergedError, type Fabric, fabricWith, type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { type Faults, simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { packedBytes } from '@murmuration/vectors'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import { peersOf } from './recursion.js'

const peers = peersOf(5)
const dimension = 64
const moniqua = algorithms.find(({ name }) => name === 'moniqua') as Algorithm

interface Run {
  readonly bits: number
  readonly theta: number
  readonly consensus?: number
  readonly rounds?: number
  readonly rate?: (round: number) => number
  /** The maximum distance of each start from a common point, per number; 0 when absent, and then that point is 0. */
  readonly spread?: number
  readonly events?: Faults['events']
}

/**
 * Five peers on a ring: by how much Σ x moved without an optimiser, disagreement after each round, bytes of each
 * vector, and the largest error from the optimum.
 */
async function run({ bits, theta, consensus = 1, rounds = 60, rate = () => 0, spread = 0, events = [] }: Run) {
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const starts = peers.map((peer) => evenly(peer, spread))
  const sum = new Float64Array(dimension)
  for (const start of starts) start.forEach((value, d) => (sum[d] -= value))
  const models = Array.from({ length: rounds }, (): Float32Array[] => [])
  const bytes: number[] = []
  let late = 0
  let optimum = new Float64Array(dimension) as ArrayLike<number>
  const program = async (given: Fabric<VectorMessage>) => {
    const fabric = fabricWith(given, {
      send: (to, message) => {
        if (message.vector.length > 0) bytes.push(packedBytes(message.vector))
        return given.send(to, message)
      }
    })
    const { self } = fabric
    const task = createQuadraticTask({ peers, self, seed: 3, heterogeneity: 0.5, distance: 4, dimension })
    optimum = task.optimum
    const settings = { algorithm: moniqua, options: { bits, theta, consensus }, seed: 3, batchSize: 1, rounds, rate }
    const all = { ...settings, timeout: 100, workers: peers }
    const session = new Session(fabric, task, all, () => starts[peers.indexOf(self)].slice())
    for await (const step of session.steps()) {
      late += step.late?.length ?? 0
      models[step.round].push(step.parameters.slice())
      for (const { from, to } of step.moves) to.values.forEach((value, d) => (sum[d] -= value - from.values[d]))
      if (step.round + 1 === rounds) step.parameters.forEach((value, d) => (sum[d] += value))
    }
  }
  const world = { topology, seed: 4, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 5 }
  await simulate({ ...world, faults: { rules: [], events } }, program)
  const off = Math.max(...(models.at(-1) ?? []).map((x) => Math.hypot(...[...x].map((v, d) => v - optimum[d]))))
  return {
    moved: Math.hypot(...sum),
    distances: [starts, ...models].map(widest),
    bytes,
    late,
    off,
    far: Math.hypot(...Array.from(optimum))
  }
}

const evenly = (peer: PeerName, spread: number) => {
  const random = createRandom(5, `start ${peer}`)
  return Float32Array.from(
    { length: dimension },
    (_, d) => 5 * Math.sin(spread * d) + spread * (2 * random.uniform() - 1)
  )
}

/** The largest difference of two peers in a number. */
const widest = (all: readonly Float32Array[]) =>
  Math.max(...Array.from(all[0], (_, d) => Math.max(...all.map((x) => x[d])) - Math.min(...all.map((x) => x[d]))))

const ways = [
  { bits: 2, consensus: 0.1, rounds: 80 },
  { bits: 4, consensus: 0.3, rounds: 60 },
  { bits: 8, consensus: 1, rounds: 40 }
]
for (const way of ways) {
  test(`${way.bits} bits a number: bytes as computed by hand, Σ x stays, and all models end within about γ_c u of each other`, async (t) => {
    const { bits, consensus } = way
    const { moved, distances, bytes } = await run({ ...way, theta: 1, spread: 0.4 })
    // A byte for the form, a table of the different float32, and an index for each number; or plain float32, where that
    // is shorter.
    const byHand = Math.min(2 + 4 * 2 ** bits + (dimension * bits) / 8, 4 * dimension)
    if (bits < 8) t.is(Math.max(...bytes), byHand)
    t.true(Math.max(...bytes) <= byHand)
    const u = 1 / (2 ** (bits - 1) - 1)
    const last = distances.slice(-5)
    t.log(moved, distances[0], last.map((each) => each / u / consensus).join(' '))
    t.true(moved < 3e-5)
    t.true(Math.max(...last) < 2.5 * consensus * u)
  })
}

test('a number takes a byte with 8 bits, in addition to a table of 256', (t) => {
  const random = createRandom(1, 'q')
  t.is(packedBytes(Float32Array.from({ length: 10_000 }, () => random.integer(256))), 2 + 4 * 256 + 10_000)
})

test('SGD with 8 bits reaches the optimum of plain averaging', async (t) => {
  const rate = (round: number) => 0.4 / (1 + round / 8)
  const { off, far, moved } = await run({ bits: 8, theta: 8, rounds: 200, rate })
  t.log(off, far, moved)
  t.true(off < 0.05 * far)
})

test('neighbours that are θ or more apart are found, whichever they are', async (t) => {
  const error = await t.throwsAsync(run({ bits: 8, theta: 0.3, spread: 0.4 }), { instanceOf: DivergedError })
  t.regex(
    error.message,
    /^in round 0 a number of p\d\d was 0.3 or more from this peer's.*raise theta, or lower the rate$/
  )
})

test('a link that stops for longer than a timeout: both ends use what is late, or neither, and Σ x stays', async (t) => {
  const [a, b] = peers
  const events = [
    { at: 40, kind: 'clog', from: b, to: a } as const,
    { at: 300, kind: 'unclog', from: b, to: a } as const
  ]
  const { late, moved } = await run({ bits: 6, theta: 1, spread: 0.4, events })
  t.true(late > 0)
  t.true(moved < 3e-5, `${moved}`)
})
