import { type PeerName, peerName, type Topology } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { contraction } from './contraction.js'
import { createTopology } from './create-topology.js'
import type { GraphDescription } from './graph-description.js'
import { mixingMatrix } from './mixing-topology.js'
import { rowOf } from './sparse.js'
import type { WeightRule } from './weights.js'

const numbered = (size: number) => Array.from({ length: size }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))
const path = (peers: readonly PeerName[]): GraphDescription => ({
  kind: 'edges',
  edges: peers.slice(1).map((peer, k): [string, string] => [peers[k], peer])
})
const build = (size: number, graph: GraphDescription, weights: WeightRule) =>
  createTopology({ peers: numbered(size), graph, weights })
const isNear = (found: number, expected: number) => Math.abs(found - expected) < 1e-6

test('one weight for all edges leaves (λ₁ − λ_{n−1}) / (λ₁ + λ_{n−1}) of disagreement, by the eigenvalues of the Laplacian (Xiao and Boyd 2004)', (t) => {
  for (const size of [4, 5, 9, 16, 100]) {
    const ofRing = (k: number) => 2 - 2 * Math.cos((2 * Math.PI * k) / size)
    const slowest = ofRing(1)
    const fastest = ofRing(Math.floor(size / 2))
    const { perRound } = contraction(build(size, { kind: 'ring' }, 'best-constant'))
    t.true(isNear(perRound, (fastest - slowest) / (fastest + slowest)), `${size}: ${perRound}`)
  }
})

test('one weight for all edges lets nobody give away more than it has', (t) => {
  t.true(isNear(contraction(build(8, { kind: 'star' }, 'best-constant')).perRound, 1 - 1 / 7))
  t.is(build(1, { kind: 'ring' }, 'best-constant').mixing(peerName('p000'), 0).selfWeight, 1)
})

test('averaging on a path is fastest with a half on each edge, and leaves cos π/n (Boyd, Diaconis, Sun and Xiao 2006)', (t) => {
  for (const size of [3, 8, 13]) {
    const topology = build(size, path(numbered(size)), 'fastest')
    t.true(isNear(contraction(topology).perRound, Math.cos(Math.PI / size)))
    const ends = rowOf(mixingMatrix(topology, 0), 0).map(({ value }) => value)
    t.deepEqual(ends, [0.5, 0.5])
  }
})

test('on every graph the fastest weights are symmetric, sum to 1, and are no slower than one for all edges', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 10 }), fc.integer(), (size, seed) => {
      const graph = { kind: 'erdos-renyi', probability: 0.6, seed } as const
      const fastest = build(size, graph, 'fastest')
      t.true(isDoublyStochastic(fastest))
      const [own, constant] = [fastest, build(size, graph, 'best-constant')].map((each) => contraction(each).perRound)
      t.true(own <= constant + 1e-9, `${own} and ${constant}`)
    }),
    { numRuns: 20 }
  )
})

test('where degrees differ the fastest weights take 0.6 of the rounds of Metropolis weights', (t) => {
  const graph = { kind: 'erdos-renyi', probability: 0.25, seed: 1 } as const
  const [fastest, metropolis] = (['fastest', 'metropolis'] as const).map((rule) =>
    Math.log(contraction(build(16, graph, rule)).perRound)
  )
  t.true(metropolis / fastest < 0.61, `${metropolis / fastest}`)
})

test('weights for the fastest averaging need one graph that goes both ways, and for each edge 64 peers at most', (t) => {
  const refused = { message: /one-way, not connected or changes by round/ }
  t.throws(() => build(6, { kind: 'exponential' }, 'best-constant'), refused)
  t.throws(() => build(8, { kind: 'hypercube-matching' }, 'fastest'), refused)
  t.throws(() => build(65, { kind: 'ring' }, 'fastest'), { message: /found "fastest" for 65 peers, expected 64/ })
})

function isDoublyStochastic(topology: Topology): boolean {
  const rows = topology.peers.map((_, row) => rowOf(mixingMatrix(topology, 0), row))
  const weights = new Map(rows.flatMap((row, i) => row.map(({ column, value }) => [`${i} ${column}`, value])))
  return rows.every(
    (row, i) =>
      isNear(
        row.reduce((sum, { value }) => sum + value, 0),
        1
      ) && row.every(({ column, value }) => value > 0 && isNear(weights.get(`${column} ${i}`) ?? 0, value))
  )
}
