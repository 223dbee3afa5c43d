import { InputError, type PeerName, problem, type Random, refuse, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { isStronglyConnected } from './connectivity.js'
import { type EdgeList, type GraphDescription, ruleOf, type WeightRule } from './graph-description.js'
import { graphProblems, torusSides } from './graph-problems.js'
import * as graphs from './graphs.js'
import { topologyOf } from './mixing-topology.js'
import { erdosRenyi, randomRegular, smallWorld } from './random-graphs.js'
import { rowOf, type SparseMatrix, sparseMatrix } from './sparse.js'
import { metropolis, rowsWithRemainder, sumTolerance, uniform } from './weights.js'

/** What a topology is made of. */
export interface TopologyOptions {
  /** All peers. Their order here gives each its place in the graph. */
  readonly peers: readonly PeerName[]
  readonly graph: GraphDescription
  /** Without: 'given' where the graph gives weights, else 'metropolis'. */
  readonly weights?: WeightRule | undefined
}

/** A random graph is drawn again this often before one gives up. */
const drawsMax = 200

/**
 * Builds a topology. The same options give the same topology on every machine. Throws an InputError that lists what
 * makes it impossible: no peers, names given twice, options that do not fit the number of peers, weights that do not
 * sum to 1, or random graphs that come out in parts time and again.
 */
export function createTopology({ peers, graph, weights }: TopologyOptions): Topology {
  refuse(peerProblems(peers))
  refuse(graphProblems(graph, weights, peers))
  const matrices = matricesOf(graph, ruleOf(graph, weights), peers)
  for (const matrix of matrices) refuse(rowProblems(matrix, peers))
  return topologyOf(peers, matrices)
}

function peerProblems(peers: readonly PeerName[]) {
  if (peers.length === 0) return [problem(['peers'], 'found no peer, expected at least one')]
  return peers.flatMap((name, index) =>
    peers.indexOf(name) === index ? [] : [problem(['peers', index], `found "${name}" again, expected each name once`)]
  )
}

function rowProblems(matrix: SparseMatrix, peers: readonly PeerName[]) {
  return peers.flatMap((name, index) => {
    const values = rowOf(matrix, index).map(({ value }) => value)
    const sum = values.reduce((total, value) => total + value, 0)
    if (values.every((value) => value > 0) && Math.abs(sum - 1) < sumTolerance) return []
    return [problem([], `found the weights ${values.join(', ')} for ${name}, expected weights above 0 that sum to 1`)]
  })
}

function matricesOf(graph: GraphDescription, rule: WeightRule, peers: readonly PeerName[]) {
  if (graph.kind === 'matrix') {
    return [sparseMatrix(graph.rows.map((row) => row.map((value, column) => ({ column, value }))))]
  }
  if (graph.kind === 'edges' && rule === 'given') return [givenWeights(graph.edges, peers)]
  return graphsOf(graph, peers).map(rule === 'uniform' ? uniform : metropolis)
}

function graphsOf(
  graph: Exclude<GraphDescription, { kind: 'matrix' }>,
  peers: readonly PeerName[]
): readonly graphs.Graph[] {
  const size = peers.length
  switch (graph.kind) {
    case 'torus': {
      const { rows, columns } = torusSides(graph, size)
      return [graphs.torus(rows, columns)]
    }
    case 'random-regular':
      return [drawConnected(graph, (random) => randomRegular(size, graph.degree, random))]
    case 'erdos-renyi':
      return [drawConnected(graph, (random) => erdosRenyi(size, graph.probability, random))]
    case 'small-world':
      return [drawConnected(graph, (random) => smallWorld(size, graph.neighbours, graph.rewire, random))]
    case 'one-peer-exponential':
      return graphs.onePeerExponential(size)
    case 'edges':
      return [graphs.graphOfEdges(size, placesOf(graph.edges, peers))]
    default:
      return [plain[graph.kind](size)]
  }
}

const plain = {
  ring: graphs.ring,
  complete: graphs.complete,
  star: graphs.star,
  hypercube: graphs.hypercube,
  exponential: graphs.exponential
}

function drawConnected(
  { kind, seed }: { readonly kind: string; readonly seed: number },
  draw: (random: Random) => graphs.Graph | undefined
): graphs.Graph {
  for (let attempt = 0; attempt < drawsMax; attempt++) {
    const graph = draw(createRandom(seed, 'graph', kind, String(attempt)))
    if (graph !== undefined && isStronglyConnected(graph)) return graph
  }
  throw new InputError(`found no connected graph in ${drawsMax} draws of ${kind}, expected one: ask for more edges`)
}

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
  const graph = graphs.graphOfEdges(peers.length, placesOf(edges, peers))
  return rowsWithRemainder(graph, (node, source) => given.get(`${node} ${source}`) ?? 0)
}
