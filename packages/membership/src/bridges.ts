/** Edges that reconnect usable peers across unusable ones. */
import type { PeerName, Topology } from '@murmuration/core'
import { byHash } from './hash.js'

type IsUsable = (peer: PeerName) => boolean
type NeighboursOf = (peer: PeerName) => Iterable<PeerName>

/** A peer's neighbours in the cycles that join the usable peers around each group of unusable peers next to it. */
export function bridgesFrom(peer: PeerName, neighboursOf: NeighboursOf, usable: IsUsable): PeerName[] {
  return bordersOf(peer, neighboursOf, usable).flatMap((border) => cycleNeighbours(border, peer))
}

/**
 * The same for a topology that changes by round, where bridges of single rounds may not connect peers over all rounds.
 * Each group of unusable peers is looked at in the union of all rounds. If it separates that graph into parts, the
 * first peer by hash at the border of each part joins a cycle. These edges exist in every round. Mostly there are none.
 */
export function jointsFrom(peer: PeerName, topology: Topology, usable: IsUsable): PeerName[] {
  if (topology.period === 1) return []
  const neighboursOf = unionOf(topology)
  return bordersOf(peer, neighboursOf, usable).flatMap((border) => {
    const firsts = firstOfEachPart(border, (member) => [...neighboursOf(member)].filter(usable))
    return firsts.has(peer) ? cycleNeighbours(firsts, peer) : []
  })
}

/**
 * For each group of unusable peers next to a peer: the usable peers around it, in the order in which they are found.
 */
function bordersOf(peer: PeerName, neighboursOf: NeighboursOf, usable: IsUsable): Set<PeerName>[] {
  const visited = new Set<PeerName>()
  const borders: Set<PeerName>[] = []
  for (const start of neighboursOf(peer)) {
    if (!usable(start) && !visited.has(start)) borders.push(borderOf(start, neighboursOf, usable, visited))
  }
  return borders
}

/** The usable peers around the group of unusable ones that contains `start`. Marks the group as visited. */
function borderOf(
  start: PeerName,
  neighboursOf: NeighboursOf,
  usable: IsUsable,
  visited: Set<PeerName>
): Set<PeerName> {
  const border = new Set<PeerName>()
  const group = [start]
  visited.add(start)
  for (const member of group) {
    for (const next of neighboursOf(member)) {
      if (usable(next)) border.add(next)
      else if (!visited.has(next)) {
        visited.add(next)
        group.push(next)
      }
    }
  }
  return border
}

/** Among peers that reach each other along `linksOf`, the first by hash. */
function firstOfEachPart(peers: Set<PeerName>, linksOf: NeighboursOf): Set<PeerName> {
  const firsts = new Set<PeerName>()
  const reached = new Set<PeerName>()
  for (const peer of byHash(peers, 'joint')) {
    if (reached.has(peer)) continue
    firsts.add(peer)
    const part = [peer]
    reached.add(peer)
    for (const member of part) {
      for (const next of linksOf(member)) {
        if (reached.has(next)) continue
        reached.add(next)
        part.push(next)
      }
    }
  }
  return firsts
}

/** A peer's neighbours when all are put in a cycle by hash. */
function cycleNeighbours(peers: Set<PeerName>, peer: PeerName): PeerName[] {
  const cycle = byHash(peers, 'bridge')
  const index = cycle.indexOf(peer)
  return cycle.length < 2 ? [] : [cycle.at(index - 1) ?? peer, cycle[(index + 1) % cycle.length]]
}

const unions = new WeakMap<Topology, Map<PeerName, readonly PeerName[]>>()

/** The neighbours of each peer in any round, in either direction. */
function unionOf(topology: Topology): NeighboursOf {
  const union = unions.get(topology) ?? new Map<PeerName, readonly PeerName[]>()
  unions.set(topology, union)
  return (peer) => {
    let neighbours = union.get(peer)
    if (neighbours === undefined) union.set(peer, (neighbours = inAnyRound(topology, peer)))
    return neighbours
  }
}

function inAnyRound(topology: Topology, peer: PeerName): readonly PeerName[] {
  const found = new Set<PeerName>()
  for (let round = 0; round < topology.period; round++) {
    const { receiveFrom, sendTo } = topology.mixing(peer, round)
    for (const { name } of [...receiveFrom, ...sendTo]) found.add(name)
  }
  return [...found]
}
