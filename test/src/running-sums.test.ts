/**
 * Push-sum by running sums when messages are lost, duplicate or late, and a peer is cut off for a while: what is kept,
 * and the final error.
 */
import type { Vector } from '@murmuration/algorithms'
import { type Algorithm, algorithms, Session, type State } from '@murmuration/algorithms'
import { poisonedFabric } from '@murmuration/contract'
import { type Fabric, fabricWith, type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { type FaultRule, simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask, type QuadraticTask } from '@murmuration/tasks'
import { createTopology, type GraphDescription, sparseMatrix, topologyOf } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import { peersOf } from './recursion.js'

const peers = peersOf(8)
const dimension = 4
const named = (name: string) => algorithms.find((each) => each.name === name) as Algorithm

interface Run {
  readonly rules: readonly FaultRule[]
  readonly name?: string
  readonly graph?: GraphDescription
  readonly rounds?: number
  readonly rate?: (round: number) => number
  /** The fraction of messages that is sent twice. */
  readonly twice?: number
}

/** The result of a run. Sums are over the peers, for each number. */
interface Ends {
  readonly models: readonly (readonly number[])[]
  /**
   * Σ x including messages in flight, less what steps have added and all starts; and the same for Σ w, less the number
   * of peers.
   */
  readonly moved: number
  readonly weights: number
  readonly missing: number
  /** Rounds of the first peer without the third. */
  readonly withoutOne: number
  readonly leastWeight: number
  readonly optimum: ArrayLike<number>
  readonly mean: readonly number[]
}

/** Eight peers that begin apart, 10 ms from each other; a gradient takes 5 ms. */
async function run({
  rules,
  name = 'robust-push-sum',
  graph = { kind: 'complete' },
  twice = 0,
  ...more
}: Run): Promise<Ends> {
  const { rounds = 80, rate = () => 0 } = more
  const topology = createTopology({ peers, graph })
  const starts = peers.map((peer) => normals(peer))
  const sum = new Float64Array(dimension)
  for (const start of starts) start.forEach((value, d) => (sum[d] -= value))
  let weights = -peers.length
  let missing = 0
  let withoutOne = 0
  let leastWeight = 1
  const models: (readonly number[])[] = []
  let task: QuadraticTask | undefined
  const program = async (given: Fabric<VectorMessage>) => {
    const fabric = repeating(given, twice)
    task = createQuadraticTask({ peers, self: fabric.self, seed: 3, heterogeneity: 0.5, dimension })
    const settings = { algorithm: named(name), seed: 3, batchSize: 1, rounds, rate, timeout: 100, workers: peers }
    const session = new Session(fabric, task, settings, () => starts[peers.indexOf(fabric.self)].slice())
    for await (const step of session.steps()) {
      missing += step.missing.length
      leastWeight = Math.min(leastWeight, session.state.w as number)
      if (fabric.self === peers[0] && step.missing.includes(peers[2])) withoutOne++
      for (const { from, to } of step.moves) to.values.forEach((value, d) => (sum[d] -= value - from.values[d]))
      if (step.round + 1 === rounds) models.push([...step.parameters])
    }
    const { x, w, σ = {}, ρ = {} } = session.state
    for (const [sign, each] of [[1, { x, w }], ...signed(1, σ), ...signed(-1, ρ)] as [number, Mass][]) {
      each.x.values.forEach((value, d) => (sum[d] += sign * value))
      weights += sign * each.w
    }
  }
  const world = { topology, seed: 4, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 5 }
  await simulate({ ...world, faults: { rules, events: [] } }, (fabric) => program(poisonedFabric(fabric)))
  const mean = starts[0].map((_, d) => starts.reduce((total, start) => total + start[d] / peers.length, 0))
  return {
    models,
    moved: Math.hypot(...sum),
    weights,
    missing,
    withoutOne,
    leastWeight,
    optimum: task?.optimum ?? [],
    mean: [...mean]
  }
}

type Mass = { readonly x: Vector; readonly w: number }
const signed = (sign: number, all: State[string]) => Object.values(all as State).map((each) => [sign, each])
const normals = (peer: PeerName) => {
  const random = createRandom(5, `start ${peer}`)
  return Float32Array.from({ length: dimension }, () => random.normal())
}

/** Sends some messages twice. */
function repeating(fabric: Fabric<VectorMessage>, fraction: number): Fabric<VectorMessage> {
  const random = createRandom(6, fabric.self)
  return fabricWith(fabric, {
    send: (to, message) => {
      if (random.uniform() < fraction) fabric.send(to, message)
      return fabric.send(to, message)
    }
  })
}

/** The distance of the worst peer from a point. */
const farthest = (models: Ends['models'], point: ArrayLike<number>) =>
  Math.max(...models.map((x) => Math.hypot(...x.map((value, d) => value - point[d]))))

const [lost, late] = [
  { fraction: 0.3, verdict: 'drop' },
  { fraction: 0.3, verdict: { delay: 350 } }
] satisfies FaultRule[]
/** No message from a peer or to it passes: for longer than the others take for 20 rounds. */
const cutOff: readonly FaultRule[] = [{ from: peers[2] }, { to: peers[2] }].map((rule) => ({
  ...rule,
  after: 400,
  until: 2000,
  verdict: 'drop'
}))

const cases: readonly (readonly [string, Run])[] = [
  ['nothing is lost', { rules: [] }],
  ['30 % of all messages are lost', { rules: [lost] }],
  ['messages come late and twice', { rules: [late], twice: 0.3 }],
  ['a peer is cut off for longer than 20 rounds', { rules: cutOff }],
  ['all of it on a ring', { rules: [...cutOff, lost, late], twice: 0.3, graph: { kind: 'ring' }, rounds: 300 }],
  ['one direction of a link is stopped', { rules: cutOff.slice(0, 1), graph: { kind: 'ring' }, rounds: 160 }],
  ['30 % are lost on edges that go one way', { rules: [lost], graph: { kind: 'exponential' } }]
]

for (const [title, given] of cases) {
  test(`Σ x and Σ w are kept with what is in flight, and all peers reach the mean, where ${title}`, async (t) => {
    const { moved, weights, models, mean, missing, withoutOne, leastWeight } = await run(given)
    t.log(
      `Σ x moved by ${moved}, Σ w by ${weights}; ${farthest(models, mean)} from the mean; ${missing} missing, ${withoutOne}, weights from ${leastWeight}`
    )
    t.is(missing > 0, given.rules.length > 0)
    t.is(models.length, peers.length)
    t.true(leastWeight > 0.01)
    if (given.rules === cutOff) t.true(withoutOne >= 20)
    t.true(moved < 1e-5 && Math.abs(weights) < 1e-9)
    t.true(farthest(models, mean) < 1e-3)
  })
}

test('plain SGP loses mass with the messages, and agrees on something else', async (t) => {
  const { models, mean } = await run({ rules: [lost], name: 'sgp', rounds: 30 })
  t.true(farthest(models, mean) > 0.05, `${farthest(models, mean)}`)
})

test('SGD reaches the same optimum where 30 % are lost and a peer is cut off', async (t) => {
  const rate = (round: number) => 0.4 / (1 + round / 20)
  const soon = cutOff.map((rule) => ({ ...rule, after: 60 }))
  const { models, optimum, moved } = await run({ rules: [...soon, lost], rounds: 240, rate })
  t.log(farthest(models, optimum), Math.hypot(...Array.from(optimum)), moved)
  t.true(farthest(models, optimum) < 0.05 * Math.hypot(...Array.from(optimum)))
})

/**
 * Three peers in a cycle of links that go one way, each of which keeps half: the sums of weights that each has sent, by
 * round.
 */
async function cycle(changed: (message: VectorMessage, from: PeerName) => VectorMessage | undefined) {
  const rounds = 16
  const names = peersOf(3)
  const rows = names.map((_, i) => [i, (i + 2) % 3].map((column) => ({ column, value: 0.5 })))
  const topology = topologyOf(names, [sparseMatrix(rows)])
  const sums = new Map(names.map((name) => [name, [] as number[]]))
  const rejected: string[] = []
  const world = { topology, seed: 4, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 5 }
  await simulate(world, async (given) => {
    const fabric = fabricWith(given, {
      send: (to, message) => {
        const [w] = message.numbers ?? []
        if (w !== undefined) sums.get(given.self)?.push(w)
        const sent = changed(message, given.self)
        return sent === undefined ? 'queued' : given.send(to, sent)
      },
      reject: (envelope, reason) => {
        rejected.push(`${given.self} of ${envelope.from}: ${reason}`)
        given.reject(envelope, reason)
      }
    })
    const task = createQuadraticTask({ peers: names, self: fabric.self, seed: 3, dimension })
    const settings = { algorithm: named('robust-push-sum'), seed: 3, batchSize: 1, rounds, rate: () => 0 }
    const session = new Session(fabric, task, { ...settings, timeout: 100, workers: names })
    for await (const { mass } of session.steps()) if ((mass?.w ?? 1) <= 0) throw new Error('no weight is left')
  })
  return { sums: names.map((name) => sums.get(name) ?? []), rejected }
}

test('a peer that hears nobody gives nothing, also to those from which it expects nothing', async (t) => {
  const isLost = ({ round }: VectorMessage, from: PeerName) => from === 'p00' && round >= 5 && round < 9
  const { sums } = await cycle((message, from) => (isLost(message, from) ? undefined : message))
  const grown = sums[1].map((w, round) => w > (sums[1][round - 1] ?? 0))
  t.deepEqual(
    grown,
    Array.from({ length: 16 }, (_, round) => round < 6 || round > 9)
  )
})

test('a sum of weights that has fallen is its sender’s fault, and is not used', async (t) => {
  const isWrong = ({ round }: VectorMessage, from: PeerName) => from === 'p00' && round === 5
  const fallen = (message: VectorMessage) => ({ ...message, numbers: [0.25, ...(message.numbers ?? []).slice(1)] })
  const { sums, rejected } = await cycle((message, from) => (isWrong(message, from) ? fallen(message) : message))
  t.deepEqual(rejected, ['p01 of p00: its sum of weights has fallen'])
  t.true(sums[0][5] > 0.25)
  // It counts as not received: its receiver gives nothing in the next round.
  t.is(sums[1][6], sums[1][5])
  t.true(sums[1][7] > sums[1][6])
})
