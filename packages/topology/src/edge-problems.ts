import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import { type EdgeList, ruleOf, type WeightRule } from './graph-description.js'
import { shownSum, sumTolerance } from './weights.js'

/** A sentence about a name that no peer has. */
export type UnknownPeer = (name: string, peers: readonly PeerName[]) => string

/** What is wrong with an edge list: unknown peers, loops, doubles, and weights that are missing, idle or too much. */
export function edgeProblems(
  edges: EdgeList,
  weights: WeightRule | undefined,
  peers: readonly PeerName[],
  unknownPeer: UnknownPeer
): Problem[] {
  const found = [...nameProblems(edges, peers, unknownPeer), ...doubles(edges), ...weightProblems(edges, weights)]
  return within(['edges'], found)
}

function nameProblems(edges: EdgeList, peers: readonly PeerName[], unknownPeer: UnknownPeer): Problem[] {
  const known = new Set<string>(peers)
  return edges.flatMap(([a, b], index) => {
    const unknown = [a, b].flatMap((name, place) =>
      known.has(name) ? [] : [problem([index, place], unknownPeer(name, peers))]
    )
    return a === b ? [...unknown, problem([index], `found an edge from "${a}" to itself, expected two peers`)] : unknown
  })
}

function doubles(edges: EdgeList): Problem[] {
  const first = new Map<string, number>()
  return edges.flatMap(([a, b], index) => {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    return earlier === undefined
      ? []
      : [problem([index], `found the edge ${a}, ${b} again, expected it once (it is edge ${earlier + 1})`)]
  })
}

function weightProblems(edges: EdgeList, weights: WeightRule | undefined): Problem[] {
  const given = ruleOf({ kind: 'edges', edges }, weights) === 'given'
  const taken = new Map<string, number>()
  return edges.flatMap((edge, index) => {
    const [a, b, weight] = edge
    if (given && weight === undefined) return [problem([index], 'found no weight, expected one as third of the edge')]
    if (!given && weight !== undefined) {
      return [problem([index, 2], `found a weight with weights: ${weights}, expected none, or weights: given`)]
    }
    return [a, b].flatMap((name) => {
      const before = taken.get(name) ?? 0
      const sum = before + (weight ?? 0)
      taken.set(name, sum)
      // A peer is told once, at the edge that goes over.
      if (before > 1 + sumTolerance || sum <= 1 + sumTolerance) return []
      return [problem([index], `found the sum ${shownSum(sum)} on the edges of ${name}, expected at most 1`)]
    })
  })
}
