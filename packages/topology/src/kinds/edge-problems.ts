import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import type { GraphSurroundings, UnknownPeer } from '../kind.js'
import { shownSum, sumTolerance, type WeightRule } from '../weights.js'

/** Edges between peers by name, as a file lists them. */
export type EdgeList = readonly (readonly [string, string] | readonly [string, string, number])[]

/**
 * What is wrong with an edge list: unknown peers, loops, duplicates, and weights that are missing, unused or too large.
 */
export function edgeProblems(
  edges: EdgeList,
  peers: readonly PeerName[],
  { rule, unknownPeer }: GraphSurroundings
): Problem[] {
  const found = [...nameProblems(edges, peers, unknownPeer), ...doubles(edges), ...weightProblems(edges, rule)]
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

function weightProblems(edges: EdgeList, rule: WeightRule): Problem[] {
  const given = rule === 'given'
  const taken = new Map<string, number>()
  return edges.flatMap((edge, index) => {
    const [a, b, weight] = edge
    if (given && weight === undefined)
      return [problem([index], 'found no weight, expected one as the third item of the edge')]
    if (!given && weight !== undefined) {
      return [problem([index, 2], `found a weight with weights: ${rule}, expected none, or weights: given`)]
    }
    return [a, b].flatMap((name) => {
      const before = taken.get(name) ?? 0
      const sum = before + (weight ?? 0)
      taken.set(name, sum)
      // A peer is reported once, at the edge that exceeds 1.
      if (before > 1 + sumTolerance || sum <= 1 + sumTolerance) return []
      return [problem([index], `found the sum ${shownSum(sum)} on the edges of ${name}, expected at most 1`)]
    })
  })
}
