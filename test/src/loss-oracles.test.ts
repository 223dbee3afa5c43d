/**
 * Algorithms some of whose messages are lost, or cannot be sent, against the recursions of their papers without these
 * messages, in float64. Which are missing is taken from the reports.
 */
import { type Algorithm, algorithms, train } from '@murmuration/algorithms'
import { fabricWith, type PeerName, type Topology } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology, sparseMatrix, topologyOf } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import {
  difference,
  type RecursionInputs,
  givenOf,
  type Matrix,
  peersOf,
  product,
  quadraticsOf,
  sum
} from './recursion.js'

/** What a run gives: the models, and for each round and peer the indices of the peers that are missing or unsent. */
interface Found {
  readonly models: readonly Matrix[]
  readonly missing: readonly (readonly (readonly number[])[])[]
  readonly unsent: readonly (readonly (readonly number[])[])[]
}

interface Run {
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>>
  /** Whether a message of training is lost on its way. */
  readonly isLost?: (round: number, from: number, to: number) => boolean
  /** After how many rounds a peer goes away; never when absent. */
  readonly lastsOf?: (peer: number) => number | undefined
}

const rate = (round: number) => 0.3 / (1 + round / 10)
const rounds = 16

/** Trains random quadratics. Peers that have gone away have no models. */
async function run(topology: Topology, { name, options = {}, isLost = () => false, lastsOf = () => undefined }: Run) {
  const { peers } = topology
  const algorithm = algorithms.find((each) => each.name === name) as Algorithm
  const tasks = quadraticsOf(topology, 3)
  const given = givenOf(topology, tasks, rate, rounds)
  const indexOf = (peer: PeerName) => peers.indexOf(peer)
  const empty = <T>() => Array.from({ length: rounds }, () => peers.map((): T[] => []))
  const found = { models: empty<number>(), missing: empty<number>(), unsent: empty<number>() }
  // Those that wait for nobody are slow, so that they do not end before others have sent.
  const cost = (_: unknown, peer: PeerName) => (indexOf(peer) < 2 ? 1 : 12)
  const world = { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost }
  await simulate(world, async (fabric) => {
    const self = indexOf(fabric.self)
    const send = (to: PeerName, message: VectorMessage) =>
      isLost(message.round, self, indexOf(to)) ? 'queued' : fabric.send(to, message)
    const settings = { algorithm, options, seed: 1, batchSize: 1, rounds, rate, timeout: 500, workers: peers }
    for await (const step of train(fabricWith(fabric, { send }), tasks[self], settings)) {
      found.models[step.round][self] = [...step.parameters]
      found.missing[step.round][self] = step.missing.map(indexOf)
      found.unsent[step.round][self] = step.unsent.map(indexOf)
      if (step.round + 1 === lastsOf(self)) return
    }
  })
  return { given, found: found as Found }
}

const chain = createTopology({
  peers: peersOf(4),
  graph: { kind: 'edges', edges: [0, 1, 2].map((k): [string, string] => [`p0${k}`, `p0${k + 1}`]) }
})

/** A sum of models, or of gradients, and how many there are. */
type Sum = { readonly x: readonly number[]; readonly count: number }
const plus = (sums: readonly Sum[]): Sum =>
  sums.reduce((all, { x, count }) => ({ x: all.x.map((value, d) => value + x[d]), count: all.count + count }))

/** RelaySGD without the missing messages (Vogels 2021, Algorithm 1); `ofModels` or of gradients. */
async function relayed({ gradients, start }: RecursionInputs, { missing }: Found, ofModels: boolean) {
  const n = start.length
  const all: Matrix[] = []
  let X = start
  let inbox = start.map(() => new Map<number, Sum>())
  for (let k = 0; k < rounds; k++) {
    const G = await gradients(X)
    const own = (ofModels ? sum([1, X], [-rate(k), G]) : G).map((x): Sum => ({ x, count: 1 }))
    const near = (i: number) => [i - 1, i + 1].filter((j) => j >= 0 && j < n)
    const sent = (i: number, j: number) =>
      plus([own[i], ...near(i).flatMap((l) => (l === j ? [] : (inbox[i].get(l) ?? [])))])
    const received = start.map(
      (_, i) =>
        new Map(
          near(i)
            .filter((j) => !missing[k][i].includes(j))
            .map((j) => [j, sent(j, i)])
        )
    )
    X = X.map((before, i) => {
      const { x, count } = plus([own[i], ...received[i].values()])
      const standIn = k < n ? start[i] : before
      return ofModels
        ? x.map((value, d) => (value + (n - count) * standIn[d]) / n)
        : x.map((value, d) => before[d] - (rate(k) * value) / n)
    })
    inbox = received
    all.push(X)
  }
  return all
}

for (const sums of ['models', 'gradients'] as const) {
  const rest =
    sums === 'models' ? 'the start stands in for it at first, and the own last model later' : 'none stands in'
  test(`RelaySGD on a chain divides by n where a message is missing: of ${sums} ${rest} (Vogels 2021)`, async (t) => {
    const lost = ['1 3 2', '2 0 1', '7 3 2', '8 3 2', '11 1 2']
    const isLost = (round: number, from: number, to: number) => lost.includes(`${round} ${from} ${to}`)
    const { given, found } = await run(chain, { name: 'relay-sgd', options: { sums }, isLost })
    const missed = found.missing.flatMap((all, k) => all.flatMap((from, to) => from.map((j) => `${k} ${j} ${to}`)))
    t.deepEqual(
      missed.filter((each) => lost.includes(each)),
      lost
    )
    const { by, round, peer } = difference(found.models, await relayed(given, found, sums === 'models'))
    t.true(by < 2e-5, `${by} in round ${round} at peer ${peer}`)
  })
}

/**
 * Columns sum to 1. Peers 0 and 1 send to each other, peer 0 to peer 2, which sends to nobody, and peer 3, which
 * receives from nobody, to peer 0.
 */
const P: Matrix = [
  [0.5, 0.25, 0, 0.2],
  [0.3, 0.75, 0, 0],
  [0.2, 0, 1, 0],
  [0, 0, 0, 0.8]
]
const oneWay = topologyOf(peersOf(4), [sparseMatrix(P.map((row) => row.map((value, column) => ({ column, value }))))])

/** `P` of a round: what cannot be sent stays with its sender. */
const keeping = (unsent: readonly (readonly number[])[]): Matrix =>
  P.map((row, i) =>
    row.map((value, j) => {
      const kept = P.reduce((total, { [j]: weight }, l) => total + (unsent[j]?.includes(l) ? weight : 0), 0)
      return i === j ? value + kept : unsent[j]?.includes(i) ? 0 : value
    })
  )

type Mass = { readonly X: Matrix; readonly w: Matrix }
const unbiased = ({ X, w }: Mass) => X.map((row, i) => row.map((value) => value / w[i][0]))
const moved = (by: Matrix, { X, w }: Mass): Mass => ({ X: product(by, X), w: product(by, w) })
const added = (left: Mass, right: Mass): Mass => ({
  X: sum([1, left.X], [1, right.X]),
  w: sum([1, left.w], [1, right.w])
})

/** Push-sum: (x, w) ← P (x − γ g, w), with g at x / w (Assran 2019, Algorithm 1). */
async function pushed({ gradients, start }: RecursionInputs, { unsent }: Found) {
  let mass: Mass = { X: start, w: start.map(() => [1]) }
  const all: Matrix[] = []
  for (let k = 0; k < rounds; k++) {
    const half = sum([1, mass.X], [-rate(k), await gradients(unbiased(mass))])
    mass = moved(keeping(unsent[k]), { X: half, w: mass.w })
    all.push(unbiased(mass).slice(0, 2))
  }
  return all
}

/** The same where what is sent is in flight for a round, and nothing at the end (Algorithm 2, τ = 1). */
async function pushedLate({ gradients, start }: RecursionInputs, { unsent }: Found) {
  const diagonal = (Q: Matrix) => Q.map((row, i) => row.map((value, j) => (i === j ? value : 0)))
  const own = diagonal(P)
  let mass: Mass = { X: start, w: start.map(() => [1]) }
  let flying: Mass = { X: sum([0, start]), w: start.map(() => [0]) }
  const all: Matrix[] = []
  for (let k = 0; k < rounds; k++) {
    const half = { X: sum([1, mass.X], [-rate(k), await gradients(unbiased(mass))]), w: mass.w }
    const sent = sum([1, keeping(unsent[k])], [-1, own])
    mass = added(moved(own, half), moved(sent, flying))
    if (k + 1 === rounds) mass = added(mass, moved(sent, half))
    flying = half
    all.push(unbiased(mass).slice(0, 2))
  }
  return all
}

const weighted = [
  { name: 'sgp', recursion: pushed },
  { name: 'robust-push-sum', recursion: pushed },
  { name: 'overlap-sgp', recursion: pushedLate }
]
for (const { name, recursion } of weighted) {
  test(`${name}: the weight of a neighbour that has gone away stays with its sender (Assran 2019)`, async (t) => {
    const { given, found } = await run(oneWay, { name, lastsOf: (peer) => (peer === 2 ? 5 : undefined) })
    const first = found.unsent.findIndex(([unsent]) => unsent.length > 0)
    t.true(first > 3 && first < rounds - 3)
    t.deepEqual(found.unsent.slice(first), Array(rounds - first).fill([[2], [], [], []]))
    const { by, round, peer } = difference(found.models, await recursion(given, found))
    t.true(by < 2e-5, `${by} in round ${round} at peer ${peer}`)
  })
}
