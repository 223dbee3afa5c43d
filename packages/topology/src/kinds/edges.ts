import type { PeerName } from '@murmuration/core'
import * as z from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import type { SparseMatrix } from '../sparse.js'
import { rowsWithRemainder } from '../weights.js'
import { type EdgeList, edgeProblems } from './edge-problems.js'
import { weight } from './weight.js'

const name = z.string()

/** A list of edges, with or without weights. */
export const edges = graphKind({
  kind: 'edges',
  description: 'has as neighbours the peers to which an edge joins it',
  options: {
    edges: z
      .array(
        z.union([
          z.tuple([name, name], { error: 'two peers' }),
          z.tuple([name, name, weight], { error: 'two peers and a weight' })
        ])
      )
      .meta({ description: 'two peers each; all edges have a weight as a third item, or none' })
  },
  example: (peers) => ({ edges: peers.slice(1).map((peer, index): [string, string] => [peers[index], peer]) }),
  problems: ({ edges }, peers, surroundings) => edgeProblems(edges, peers, surroundings),
  graphs: ({ edges }, peers) => [graphOfEdges(peers.length, placesOf(edges, peers))],
  weights: {
    isGiven: ({ edges }) => edges.some((edge) => edge.length === 3),
    matrices: ({ edges }, peers) => [givenWeights(edges, peers)]
  }
})

function placesOf(edges: EdgeList, peers: readonly PeerName[]) {
  const places = new Map<string, number>(peers.map((name, place) => [name, place]))
  const place = (name: string) => places.get(name) ?? -1
  return edges.map(([a, b]) => [place(a), place(b)] as const)
}

function givenWeights(edges: EdgeList, peers: readonly PeerName[]): SparseMatrix {
  const given = new Map<string, number>()
  for (const [index, [a, b]] of placesOf(edges, peers).entries()) {
    const weight = edges[index][2] ?? 0
    given.set(`${a} ${b}`, weight).set(`${b} ${a}`, weight)
  }
  const graph = graphOfEdges(peers.length, placesOf(edges, peers))
  return rowsWithRemainder(graph, (node, source) => given.get(`${node} ${source}`) ?? 0)
}
