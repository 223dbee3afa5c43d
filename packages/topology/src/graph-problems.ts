import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import { type GraphDescription, kindOf, ruleOf } from './graph-description.js'
import type { UnknownPeer } from './kind.js'
import type { WeightRule } from './weights.js'

/**
 * Why this graph with these weights over these peers cannot be built; empty when it can. Paths begin with 'graph' or
 * 'weights'.
 *
 * @param unknownPeer - the message for a name in an edge that no peer has
 */
export function graphProblems(
  graph: GraphDescription,
  weights: WeightRule | undefined,
  peers: readonly PeerName[],
  unknownPeer: UnknownPeer = (name) => `found "${name}", expected the name of a peer`
): Problem[] {
  const found = kindOf(graph).problems?.(graph, peers, { rule: ruleOf(graph, weights), unknownPeer }) ?? []
  return [...within(['graph'], found), ...ruleProblems(graph, weights)]
}

function ruleProblems(graph: GraphDescription, weights: WeightRule | undefined): Problem[] {
  const { kind, graphs, weights: givenWeights } = kindOf(graph)
  if (weights === 'given' && givenWeights === undefined) {
    const message = `found "given" for ${kind}, which gives no weights, expected "metropolis" or "uniform"`
    return [problem(['weights'], message)]
  }
  if (weights === undefined || weights === 'given' || graphs !== undefined) return []
  return [
    problem(['weights'], `found "${weights}" for ${kind}, which gives its own weights, expected "given" or nothing`)
  ]
}
