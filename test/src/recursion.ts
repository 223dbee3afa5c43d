/** Algorithms as plain recursions of matrices in float64, a row per peer: oracles for the records. */
import { type Algorithm, algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type PeerName, peerName, type Schema, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { createQuadraticTask, type QuadraticTask } from '@murmuration/tasks'
import { createTopology, type GraphDescription, mixingMatrix } from '@murmuration/topology'
import type { TestFn } from 'ava'
import { inSimulator } from './worlds.js'

/** A row per peer. */
export type Matrix = readonly (readonly number[])[]

/** What a recursion may use. */
export interface RecursionInputs {
  readonly topology: Topology
  readonly rounds: number
  readonly rate: (round: number) => number
  /** The gradient of each peer at its own row. */
  readonly gradients: (X: Matrix) => Promise<Matrix>
  readonly start: Matrix
}

/** X after every round. */
export type Recursion = (given: RecursionInputs) => Promise<readonly Matrix[]>

export const peersOf = (count: number): readonly PeerName[] =>
  Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(2, '0')}`))

/** `Σ a X`. */
export function sum(...terms: readonly (readonly [number, Matrix])[]): Matrix {
  return terms[0][1].map((row, i) => row.map((_, d) => terms.reduce((total, [a, X]) => total + a * X[i][d], 0)))
}

/** `W` of a round, as rows. */
export function rowsOf(topology: Topology, round = 0): Matrix {
  const { size, rowStarts, columns, values } = mixingMatrix(topology, round)
  return Array.from({ length: size }, (_, row) => {
    const dense = Array<number>(size).fill(0)
    for (let place = rowStarts[row]; place < rowStarts[row + 1]; place++) dense[columns[place]] = values[place]
    return dense
  })
}

/**
 * A topology in which each peer offers every neighbour its own weight, as in a repaired row, and no more than the
 * graph gives it; those without an offer have the row of the graph.
 */
export function withOffers(topology: Topology, offers: readonly (number | undefined)[]): Topology {
  return {
    ...topology,
    mixing(peer, round) {
      const row = topology.mixing(peer, round)
      const offer = offers[topology.peers.indexOf(peer)]
      if (offer === undefined) return row
      const alike = (side: typeof row.sendTo) => side.map(({ name }) => ({ name, weight: offer }))
      const selfWeight = 1 - offer * row.receiveFrom.length
      return { selfWeight, receiveFrom: alike(row.receiveFrom), sendTo: alike(row.sendTo), offer }
    }
  }
}

/** The smaller weight of both ends for each edge, and the rest for the peer itself. */
export function smaller(W: Matrix): Matrix {
  const others = W.map((row, i) => row.map((weight, j) => (i === j ? 0 : Math.min(weight, W[j][i]))))
  return others.map((row, i) => row.map((weight, j) => (i === j ? 1 - row.reduce((a, b) => a + b, 0) : weight)))
}

/** `W X`. */
export function product(W: Matrix, X: Matrix): Matrix {
  return W.map((row) => X[0].map((_, d) => row.reduce((total, weight, j) => total + weight * X[j][d], 0)))
}

/** `(I + W) / 2`. */
export function lazy(W: Matrix): Matrix {
  return W.map((row, i) => row.map((weight, j) => weight / 2 + (i === j ? 0.5 : 0)))
}

/** The mean over the peers, as the row of each of them. */
export function meanOf(X: Matrix): Matrix {
  return product(
    X.map(() => X.map(() => 1 / X.length)),
    X
  )
}

/** The indices of the numbers, out of six, that are drawn in round k, by Floyd's algorithm. */
export function maskOf(k: number, lasts: readonly number[]): readonly number[] {
  const random = createRandom(k, 'mask')
  const mask: number[] = []
  for (const last of lasts) {
    const place = random.integer(last + 1)
    mask.push(mask.includes(place) ? last : place)
  }
  return mask
}

const dimension = 6

/** Random quadratics, one for each peer. */
export function quadraticsOf(topology: Topology, seed: number): readonly QuadraticTask[] {
  return topology.peers.map((self) =>
    createQuadraticTask({ peers: topology.peers, self, seed, heterogeneity: 1, distance: 4, dimension })
  )
}

/** The input of a recursion on these tasks. */
export function givenOf(
  topology: Topology,
  tasks: readonly QuadraticTask[],
  rate: RecursionInputs['rate'],
  rounds: number
): RecursionInputs {
  const gradients = (X: Matrix) =>
    Promise.all(
      tasks.map(async (task, i) => [...(await task.gradient(Float32Array.from(X[i]), Uint32Array.of(0)).run()).vector])
    )
  const start = tasks.map(() => Array<number>(dimension).fill(0))
  return { topology, rounds, rate, gradients, start }
}

/** The model of each peer after every round of the record, in the simulator. */
export async function modelsOf(
  algorithm: Algorithm,
  { topology, rounds, rate }: RecursionInputs,
  tasks: readonly QuadraticTask[],
  options: TrainingSettings['options'] = {}
): Promise<readonly Matrix[]> {
  const all = Array.from({ length: rounds }, () => topology.peers.map((): number[] => []))
  await inSimulator({ topology, seed: 7, length: dimension }, async (fabric) => {
    const place = topology.peers.indexOf(fabric.self)
    const settings = { algorithm, options, seed: 7, batchSize: 1, rounds, rate, timeout: timeLimit(20_000) }
    const steps = train(fabric, tasks[place], { ...settings, workers: topology.peers })
    for await (const { round, parameters } of steps) all[round][place] = [...parameters]
  })
  return all
}

/** The largest difference of two sequences of matrices, and its position. */
export function difference(found: readonly Matrix[], expected: readonly Matrix[]) {
  let worst = { by: 0, round: 0, peer: 0 }
  for (const [round, X] of expected.entries()) {
    for (const [peer, row] of X.entries()) {
      for (const [d, value] of row.entries()) {
        const by = Math.abs(found[round][peer][d] - value)
        if (!(by <= worst.by)) worst = { by, round, peer }
      }
    }
  }
  return worst
}

/** A record, and its paper's recursion. */
export interface Oracle {
  readonly title: string
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>>
  /** One with unequal weights when absent. */
  readonly graph?: GraphDescription
  /** What each peer offers its neighbours; the weights of the graph when absent. */
  readonly offers?: readonly (number | undefined)[]
  /** Five when absent. */
  readonly peers?: number
  /** The tensors that the six numbers form; one of six when absent. */
  readonly schema?: Schema
  readonly recursion: Recursion
}

/** Repeats a step from the state that it returned; `of` gives the models. */
export async function repeated<S>(
  rounds: number,
  start: S,
  step: (state: S, k: number) => Promise<S>,
  valueOf: (state: S) => Matrix
) {
  const all: Matrix[] = []
  let state = start
  for (let k = 0; k < rounds; k++) {
    state = await step(state, k)
    all.push(valueOf(state))
  }
  return all
}

/** A ring with a chord: peers have two or three neighbours, so that weights differ. */
function unevenOf(peers: readonly PeerName[]): GraphDescription {
  const ring = peers.map((peer, i): [string, string] => [peer, peers[(i + 1) % peers.length]])
  return { kind: 'edges', edges: [...ring, [peers[0], peers[2]]] }
}

/** Tests that a record gives the models of its recursion, up to float32 rounding. */
export function testOracle(
  test: TestFn,
  { title, name, options, graph, offers = [], peers = 5, schema, recursion }: Oracle
): void {
  test(title, async (t) => {
    const names = peersOf(peers)
    const topology = withOffers(createTopology({ peers: names, graph: graph ?? unevenOf(names) }), offers)
    const tasks = quadraticsOf(topology, 3).map((task) => Object.assign(task, { schema: schema ?? task.schema }))
    const given = givenOf(topology, tasks, (round) => 0.3 / (1 + round / 10), 24)
    const record = algorithms.find((each) => each.name === name) as Algorithm
    const { by, round, peer } = difference(await modelsOf(record, given, tasks, options), await recursion(given))
    t.true(by < 2e-5, `${by} in round ${round} at peer ${peer}`)
  })
}
