import { peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { diameterOf, isStronglyConnected } from '../connectivity.js'
import type { Graph } from '../graphs.js'
import type { Latency } from '../kind.js'
import { tree } from './tree.js'

const peers = (size: number) => Array.from({ length: size }, (_, place) => peerName(`p${place}`))
const treeOf = (size: number, degree: number, latency?: Latency): Graph =>
  tree.graphs?.({ degree }, peers(size), latency)[0] ?? []
const degreeOf = (graph: Graph) => Math.max(...graph.map(({ length }) => length))
const edgesOf = (graph: Graph) =>
  graph.flatMap((sources, a) => sources.filter((b) => a < b).map((b) => [a, b] as const))

test('without latencies a tree is balanced, and with two neighbours it is a chain', (t) => {
  t.deepEqual([diameterOf(treeOf(22, 3)), degreeOf(treeOf(22, 3))], [6, 3])
  t.deepEqual([diameterOf(treeOf(9, 2)), degreeOf(treeOf(9, 2))], [8, 2])
  t.deepEqual(treeOf(1, 3), [[]])
})

/** Latencies of each pair, in the order of `edgesOf` of a complete graph. */
const drawn = fc
  .integer({ min: 2, max: 6 })
  .chain((size) =>
    fc.tuple(fc.constant(size), fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 15, maxLength: 15 }))
  )
const latencyOf =
  (latencies: readonly number[]): Latency =>
  (from, to) => {
    const [a, b] = [from, to].map((name) => Number(name.slice(1))).sort((x, y) => x - y)
    return latencies[(b * (b - 1)) / 2 + a]
  }
const sumOf = (edges: readonly (readonly [number, number])[], latency: Latency) =>
  edges.reduce((sum, [a, b]) => sum + latency(peerName(`p${a}`), peerName(`p${b}`)), 0)

/** The edges of every tree of so many nodes: Prüfer's sequences (1918). */
function everyTree(size: number): readonly (readonly (readonly [number, number])[])[] {
  return Array.from({ length: size ** (size - 2) }, (_, number) => {
    const sequence = Array.from({ length: size - 2 }, (_, k) => Math.floor(number / size ** k) % size)
    const degrees = Array.from({ length: size }, (_, node) => 1 + sequence.filter((each) => each === node).length)
    const edges = sequence.map((node) => {
      const leaf = degrees.indexOf(1)
      degrees[leaf]--
      degrees[node]--
      return [leaf, node] as const
    })
    const [a, b] = degrees.flatMap((degree, node) => (degree === 1 ? [node] : []))
    return [...edges, [a, b] as const]
  })
}

test('no tree has less latency in all (Prim 1957)', (t) => {
  fc.assert(
    fc.property(drawn, ([size, latencies]) => {
      const latency = latencyOf(latencies)
      const least = Math.min(...everyTree(size).map((edges) => sumOf(edges, latency)))
      t.is(sumOf(edgesOf(treeOf(size, size, latency)), latency), least)
    }),
    { numRuns: 50 }
  )
})

test('a tree is one, and no peer has more neighbours than it may', (t) => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 2, max: 4 }), ([size, latencies], degree) => {
      const graph = treeOf(size, degree, latencyOf(latencies))
      t.true(isStronglyConnected(graph) && degreeOf(graph) <= degree)
      t.is(edgesOf(graph).length, size - 1)
    })
  )
})
