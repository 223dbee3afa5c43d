import { type PeerName, problem, refuse, type Topology } from '@murmuration/core'
import { type GraphDescription, kindOf, ruleOf } from './graph-description.js'
import { graphProblems } from './graph-problems.js'
import type { Latency } from './kind.js'
import { topologyOf } from './mixing-topology.js'
import { bestConstant, fastest, optimalProblems } from './optimal-weights.js'
import { rowOf, type SparseMatrix } from './sparse.js'
import { metropolis, sumTolerance, uniform, type WeightRule } from './weights.js'

/** The parts of a topology. */
export interface TopologyOptions {
  /** All peers. Their order here gives each its position in the graph. */
  readonly peers: readonly PeerName[]
  readonly graph: GraphDescription
  /** When absent: 'given' where the graph gives weights, else 'metropolis'. */
  readonly weights?: WeightRule | undefined
  /** For graphs that follow from the links; all are as near without. */
  readonly latency?: Latency | undefined
}

/**
 * Builds a topology. The same options give the same topology on every machine. Throws an InputError that lists what is
 * wrong: no peers, duplicate names, options that do not fit the number of peers, weights that do not sum to 1, or
 * random graphs that are never connected.
 */
export function createTopology({ peers, graph, weights, latency }: TopologyOptions): Topology {
  refuse(peerProblems(peers))
  refuse(graphProblems(graph, weights, peers))
  const matrices = matricesOf(graph, ruleOf(graph, weights), peers, latency)
  for (const matrix of matrices) refuse(rowProblems(matrix, peers))
  return topologyOf(peers, matrices)
}

function peerProblems(peers: readonly PeerName[]) {
  if (peers.length === 0) return [problem(['peers'], 'found no peer, expected at least one')]
  const seen = new Set<PeerName>()
  return peers.flatMap((name, index) => {
    const isAgain = seen.has(name)
    seen.add(name)
    return isAgain ? [problem(['peers', index], `found "${name}" again, expected each name once`)] : []
  })
}

function rowProblems(matrix: SparseMatrix, peers: readonly PeerName[]) {
  return peers.flatMap((name, index) => {
    const values = rowOf(matrix, index).map(({ value }) => value)
    const sum = values.reduce((total, value) => total + value, 0)
    if (values.every((value) => value > 0) && Math.abs(sum - 1) < sumTolerance) return []
    return [problem([], `found the weights ${values.join(', ')} for ${name}, expected weights above 0 that sum to 1`)]
  })
}

function matricesOf(
  graph: GraphDescription,
  rule: WeightRule,
  peers: readonly PeerName[],
  latency?: Latency
): readonly SparseMatrix[] {
  const { graphs, weights } = kindOf(graph)
  if (weights !== undefined && rule === 'given') return weights.matrices(graph, peers)
  const all = graphs?.(graph, peers, latency) ?? []
  if (rule !== 'best-constant' && rule !== 'fastest') return all.map(rule === 'uniform' ? uniform : metropolis)
  refuse(optimalProblems(rule, all))
  return all.map(rule === 'fastest' ? fastest : bestConstant)
}
