import { type PeerName, peerName, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { averagingRounds, contraction, roundsToConsensus } from './contraction.js'
import { createTopology } from './create-topology.js'
import type { GraphDescription } from './graph-description.js'
import type { WeightRule } from './weights.js'
import { mixingMatrix } from './mixing-topology.js'
import { applyMixing } from './sparse.js'

const build = (size: number, graph: GraphDescription, weights?: WeightRule) =>
  createTopology({
    peers: Array.from({ length: size }, (_, k) => peerName(`p${String(k).padStart(5, '0')}`)),
    graph,
    weights
  })
const gapOf = (size: number, graph: GraphDescription, weights?: WeightRule) =>
  contraction(build(size, graph, weights)).spectralGap
const relative = (found: number, truth: number) => Math.abs(found - truth) / truth

/** 1 − (1/3 + 2/3 cos(2 π / n)), without the cancellation. */
const ringGap = (size: number) => (4 / 3) * Math.sin(Math.PI / size) ** 2

test('the gap of a ring is 2/3 (1 − cos(2 π / n)), also of 10,000 peers', (t) => {
  for (const size of [4, 5, 8, 9, 50, 501, 10_000]) {
    t.true(relative(gapOf(size, { kind: 'ring' }), ringGap(size)) < 1e-6, `${size} peers`)
  }
})

test('the gap of a torus is 2/5 (1 − cos(2 π / longer side)) while λ₂ is the larger end', (t) => {
  for (const [rows, columns] of [
    [10, 10],
    [8, 15],
    [100, 100]
  ]) {
    const truth = (4 / 5) * Math.sin(Math.PI / columns) ** 2
    t.true(relative(gapOf(rows * columns, { kind: 'torus', rows, columns }), truth) < 1e-6)
  }
})

test('the gap of a hypercube of dimension d is 2 / (d + 1), of a star 1 / n, of a complete graph 1', (t) => {
  for (const dimension of [1, 2, 3, 7, 12]) {
    // λₙ = −(d − 1) / (d + 1) is as large as λ₂.
    const truth = dimension === 1 ? 1 : 2 / (dimension + 1)
    t.true(relative(gapOf(2 ** dimension, { kind: 'hypercube' }), truth) < 1e-9)
  }
  for (const size of [3, 10, 10_000]) t.true(relative(gapOf(size, { kind: 'star' }), 1 / size) < 1e-6)
  for (const size of [2, 3, 60]) t.is(gapOf(size, { kind: 'complete' }), 1)
})

test('the gap of the exponential graph is 2 / (2 + ⌊log₂(n − 1)⌋) for even n (Ying et al. 2021)', (t) => {
  for (const size of [4, 6, 8, 20, 64, 100, 1000]) {
    t.true(relative(gapOf(size, { kind: 'exponential' }), 2 / (2 + Math.floor(Math.log2(size - 1)))) < 1e-9)
  }
})

test('λ₂ and λₙ of a path are 1/3 + 2/3 cos(π k / n) for k = 1 and n − 1', (t) => {
  const size = 40
  const { peers } = build(size, { kind: 'ring' })
  const edges = peers.slice(1).map((name, k): [string, string] => [peers[k], name])
  const { eigenvalues } = contraction(build(size, { kind: 'edges', edges }))
  const truth = (k: number) => 1 / 3 + (2 / 3) * Math.cos((Math.PI * k) / size)
  t.true(Math.abs((eigenvalues?.second ?? 0) - truth(1)) < 1e-9)
  t.true(Math.abs((eigenvalues?.last ?? 0) - truth(size - 1)) < 1e-9)
})

test('where λₙ is farther from 0 than λ₂, it makes the gap: an odd ring without a share of one’s own', (t) => {
  for (const size of [3, 5, 9]) {
    const rows = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => ((i - j + size) % size === 1 || (j - i + size) % size === 1 ? 0.5 : 0))
    )
    const { perRound, eigenvalues } = contraction(build(size, { kind: 'matrix', rows }))
    // The eigenvalues of W are cos(2 π k / n); the one nearest to −1 has k = (n − 1) / 2.
    t.true(Math.abs(perRound - Math.cos(Math.PI / size)) < 1e-9)
    t.true(Math.abs((eigenvalues?.last ?? 0) + Math.cos(Math.PI / size)) < 1e-9)
    t.true((eigenvalues?.second ?? 1) < perRound - 0.1)
  }
})

test('one-peer exponential is exact after one period if and only if n is a power of two', (t) => {
  for (const size of [2, 4, 8, 64, 1024]) {
    const found = contraction(build(size, { kind: 'one-peer-exponential' }))
    t.deepEqual([found.perPeriod, found.perRound, found.spectralGap, found.period], [0, 0, 1, Math.log2(size)])
    t.is(roundsToConsensus(found, 1e-6), Math.log2(size))
  }
})

test('otherwise a period of it leaves max over k of the product of |cos(π k 2^j / n)|', (t) => {
  for (const size of [3, 5, 6, 12, 100]) {
    const { perPeriod, period, perRound } = contraction(build(size, { kind: 'one-peer-exponential' }))
    const left = (k: number) =>
      Array.from({ length: period }, (_, j) => Math.abs(Math.cos((Math.PI * k * 2 ** j) / size))).reduce(
        (a, b) => a * b
      )
    const truth = Math.max(...Array.from({ length: size - 1 }, (_, k) => left(k + 1)))
    t.true(Math.abs(perPeriod - truth) < 1e-9)
    t.true(Math.abs(perRound ** period - truth) < 1e-9)
  }
})

/** ‖x − mean‖ at the start and after each of `rounds` rounds of `W x`. */
function disagreements(topology: Topology, seed: number, rounds: number): number[] {
  const random = createRandom(seed)
  const matrices = Array.from({ length: topology.period }, (_, round) => mixingMatrix(topology, round))
  let x = Float64Array.from(topology.peers, () => random.normal())
  const norms: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const mean = x.reduce((sum, value) => sum + value, 0) / x.length
    norms.push(Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0)))
    x = Float64Array.from(applyMixing(matrices[round % matrices.length], x))
  }
  return norms
}

const anyGraph = fc.oneof(
  fc.constantFrom<GraphDescription>(
    { kind: 'ring' },
    { kind: 'star' },
    { kind: 'exponential' },
    { kind: 'one-peer-exponential' },
    { kind: 'complete' }
  ),
  fc.nat(1000).map((seed): GraphDescription => ({ kind: 'small-world', neighbours: 2, rewire: 0.5, seed })),
  fc.nat(1000).map((seed): GraphDescription => ({ kind: 'erdos-renyi', probability: 0.6, seed }))
)

test('‖x_k − mean‖ ≤ rho^k ‖x_0 − mean‖ after every whole period, for any topology and start', (t) => {
  fc.assert(
    fc.property(anyGraph, fc.integer({ min: 4, max: 20 }), fc.nat(1000), (graph, size, seed) => {
      const topology = build(size, graph)
      const { perPeriod, period } = contraction(topology)
      const norms = disagreements(topology, seed, 6 * period)
      for (let k = 0; k <= 6; k++) t.true(norms[k * period] <= perPeriod ** k * norms[0] * (1 + 1e-9) + 1e-13)
    })
  )
})

test('the bound is met: from a bad start disagreement shrinks no faster in the long run', (t) => {
  for (const kind of ['ring', 'star', 'exponential'] as const) {
    const topology = build(12, { kind })
    const norms = disagreements(topology, 1, 60)
    const pace = (norms[60] / norms[40]) ** (1 / 20)
    t.true(Math.abs(pace - contraction(topology).perRound) < 1e-3)
  }
})

test('after the rounds to consensus disagreement is down by the factor', (t) => {
  fc.assert(
    fc.property(anyGraph, fc.integer({ min: 4, max: 12 }), fc.constantFrom(0.5, 1e-3, 1e-6), (graph, size, factor) => {
      const topology = build(size, graph)
      const rounds = roundsToConsensus(contraction(topology), factor)
      const norms = disagreements(topology, 3, rounds)
      t.true(norms[rounds] <= factor * norms[0] * (1 + 1e-9))
    }),
    { numRuns: 50 }
  )
})

test('averaging that begins within a period takes disagreement down by the factor too', (t) => {
  for (const size of [5, 6, 7, 10, 12]) {
    const topology = build(size, { kind: 'base-graph', degree: 1 })
    const { period } = topology
    for (let first = 0; first < 2 * period; first++) {
      const rounds = averagingRounds(topology, first, 1e-3)
      const rest = (period - (first % period)) % period
      t.is(rounds, contraction(topology, first).perPeriod === 0 ? period : rest + period)
      const later = { ...topology, mixing: (peer: PeerName, round: number) => topology.mixing(peer, first + round) }
      const norms = disagreements(later, 3, rounds)
      t.true(norms[rounds] <= 1e-9 * norms[0], `${size} peers from round ${first}`)
    }
  }
})

test('rounds to consensus are counted in whole periods, and rounding adds none', (t) => {
  const facts = { period: 3, perPeriod: 0.1, perRound: 0.1 ** (1 / 3), spectralGap: 1 - 0.1 ** (1 / 3) }
  t.is(roundsToConsensus(facts, 1e-3), 9)
  t.is(roundsToConsensus(facts, 0.9e-3), 12)
  t.is(roundsToConsensus(facts, 1), 0)
  t.throws(() => roundsToConsensus(facts, 0), { instanceOf: RangeError })
})

test('peers that swap their values, and peers that no edge joins, never agree', (t) => {
  const swap: GraphDescription = {
    kind: 'matrix',
    rows: [
      [0, 1],
      [1, 0]
    ]
  }
  const apart: GraphDescription = {
    kind: 'matrix',
    rows: [
      [1, 0],
      [0, 1]
    ]
  }
  for (const graph of [swap, apart]) {
    const found = contraction(build(2, graph))
    t.is(found.perPeriod, 1)
    t.is(roundsToConsensus(found, 1e-3), Number.POSITIVE_INFINITY)
  }
})

test('a single peer agrees with itself', (t) => {
  const found = contraction(build(1, { kind: 'ring' }))
  t.deepEqual(found, { period: 1, perPeriod: 0, perRound: 0, spectralGap: 1 })
})
