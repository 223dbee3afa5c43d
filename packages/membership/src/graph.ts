import type { Mixing, PeerName, Topology, WeightedPeer } from '@murmuration/core'
import { bridgesFrom, jointsFrom } from './bridges.js'
import { byHash } from './hash.js'
import { compareTexts } from './records.js'

/** Two peers that cannot exchange vectors, as one of them reports. */
export type BrokenPair = readonly [PeerName, PeerName]

/**
 * The row of `self` in `round` when some peers or pairs cannot be used. The topology stays; bridges replace what cannot
 * be used:
 *
 * - For each connected group of unusable peers: the usable peers around it are joined in a cycle, in the order of a
 *   hash of their names (two of them by one edge). So a ring closes over its dead, and a star whose hub died becomes a
 *   ring of its leaves.
 * - Where the topology changes by round: if a group separates parts over all rounds, one peer of each part joins a
 *   cycle in every round.
 * - For each edge of a broken pair: a shortest path of usable peers that can reach each other.
 *
 * So the usable peers stay connected wherever possible, and peers that know the same compute the same graph. A row that
 * is not affected is the topology's own object. A repaired one offers 1 / (1 + degree) on each edge, so that its offers
 * sum to less than 1. The smaller offer of two ends counts: between two repaired rows it is the weight of Metropolis
 * and Hastings (Xiao, Boyd and Lall 2005). Bridges go both ways even where the topology is directed; then each side of
 * the row has its own degree.
 *
 * @param isUsable whether a peer may be in rows of this round. It is not asked about `self`
 * @param brokenPairs each pair once or more, in any order
 */
export function repairedRow(
  topology: Topology,
  self: PeerName,
  round: number,
  isUsable: (peer: PeerName) => boolean,
  brokenPairs: readonly BrokenPair[] = []
): Mixing {
  const usable = (peer: PeerName) => peer === self || isUsable(peer)
  const row = topology.mixing(self, round)
  const isWhole = ({ receiveFrom, sendTo }: Mixing) =>
    [receiveFrom, sendTo].every((peers) => peers.every(({ name }) => usable(name)))
  if (brokenPairs.length === 0 && isWhole(row) && jointsFrom(self, topology, usable).length === 0) return row
  const bridged = bridgedRow(topology, self, round, usable)
  const broken = brokenPairs.filter(([a, b]) => a !== b && usable(a) && usable(b))
  const repaired = broken.length === 0 ? bridged : withDetours({ topology, self, round, usable, broken }, bridged)
  return repaired === undefined || isRowOf(row, repaired) ? row : mixingOf(repaired)
}

/** The neighbours of a peer by direction; the same in both where the graph is undirected. */
interface Neighbours {
  readonly receiveFrom: Set<PeerName>
  readonly sendTo: Set<PeerName>
}

/** The neighbours of a usable peer when each group of unusable ones next to it is bridged. */
function bridgedRow(
  topology: Topology,
  peer: PeerName,
  round: number,
  usable: (peer: PeerName) => boolean
): Neighbours {
  const { receiveFrom, sendTo } = neighboursIn(topology, peer, round)
  const neighbours = { receiveFrom: filtered(receiveFrom, usable), sendTo: filtered(sendTo, usable) }
  const inRound = (member: PeerName) => {
    const mixing = neighboursIn(topology, member, round)
    return [...mixing.receiveFrom, ...mixing.sendTo]
  }
  for (const next of bridgesFrom(peer, inRound, usable)) join(neighbours, next)
  for (const next of jointsFrom(peer, topology, usable)) join(neighbours, next)
  return neighbours
}

interface Situation {
  readonly topology: Topology
  readonly self: PeerName
  readonly round: number
  readonly usable: (peer: PeerName) => boolean
  readonly broken: readonly BrokenPair[]
}

/** Removes the edges of broken pairs, and adds the edges of `self` on the path that replaces each. */
function withDetours(situation: Situation, { receiveFrom, sendTo }: Neighbours): Neighbours {
  const { topology, self, round, usable, broken } = situation
  const isBroken = brokenLookup(broken)
  const fits = (peer: PeerName) => !isBroken(self, peer)
  const neighbours = { receiveFrom: filtered(receiveFrom, fits), sendTo: filtered(sendTo, fits) }
  for (const [a, b] of distinctPairs(broken)) {
    const row = bridgedRow(topology, a, round, usable)
    if (!row.receiveFrom.has(b) && !row.sendTo.has(b)) continue
    const path = shortestPath(
      orderOf(topology.peers, `${a} ${b}`),
      a,
      b,
      (from, to) => usable(to) && !isBroken(from, to)
    )
    const index = path.indexOf(self)
    if (index > 0) join(neighbours, path[index - 1])
    if (index >= 0 && index + 1 < path.length) join(neighbours, path[index + 1])
  }
  return neighbours
}

/** A path between two peers; of the shortest ones, the first in the order of `peers`. Empty when there is none. */
function shortestPath(
  peers: readonly PeerName[],
  from: PeerName,
  to: PeerName,
  areJoined: (a: PeerName, b: PeerName) => boolean
): PeerName[] {
  const middle = peers.find((peer) => areJoined(from, peer) && areJoined(peer, to))
  if (middle !== undefined) return [from, middle, to]
  const predecessors = new Map<PeerName, PeerName | undefined>([[from, undefined]])
  for (const peer of predecessors.keys()) {
    if (areJoined(peer, to)) return [...pathTo(peer, predecessors), to]
    for (const next of peers) if (!predecessors.has(next) && areJoined(peer, next)) predecessors.set(next, peer)
  }
  return []
}

/** How many orders of the same peers are cached: in a simulation all use the same ones. */
const maxOrders = 64
const orders = new WeakMap<readonly PeerName[], Map<string, readonly PeerName[]>>()

function orderOf(peers: readonly PeerName[], salt: string): readonly PeerName[] {
  const cachedOrders = orders.get(peers) ?? new Map<string, readonly PeerName[]>()
  orders.set(peers, cachedOrders)
  const order = cachedOrders.get(salt) ?? byHash(peers, salt)
  if (cachedOrders.size >= maxOrders) cachedOrders.clear()
  cachedOrders.set(salt, order)
  return order
}

function pathTo(peer: PeerName, predecessors: ReadonlyMap<PeerName, PeerName | undefined>): PeerName[] {
  const previous = predecessors.get(peer)
  return previous === undefined ? [peer] : [...pathTo(previous, predecessors), peer]
}

function brokenLookup(pairs: readonly BrokenPair[]): (a: PeerName, b: PeerName) => boolean {
  const keys = new Set(pairs.map(([a, b]) => pairKey(a, b)))
  return (a, b) => keys.has(pairKey(a, b))
}

/** One text for a pair in either order. */
export function pairKey(a: PeerName, b: PeerName): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}

/** Each pair once, the earlier name first. */
export function distinctPairs(pairs: readonly BrokenPair[]): BrokenPair[] {
  const found = new Map(pairs.map(([a, b]) => [pairKey(a, b), (a < b ? [a, b] : [b, a]) as BrokenPair]))
  return [...found.values()]
}

function neighboursIn(topology: Topology, peer: PeerName, round: number): Neighbours {
  const { receiveFrom, sendTo } = topology.mixing(peer, round)
  return { receiveFrom: namesOf(receiveFrom), sendTo: namesOf(sendTo) }
}

const namesOf = (peers: readonly WeightedPeer[]) => new Set(peers.map(({ name }) => name))
const filtered = (peers: Set<PeerName>, keep: (peer: PeerName) => boolean) => new Set([...peers].filter(keep))

function join({ receiveFrom, sendTo }: Neighbours, peer: PeerName) {
  receiveFrom.add(peer)
  sendTo.add(peer)
}

function isRowOf({ receiveFrom, sendTo }: Mixing, neighbours: Neighbours): boolean {
  return isSame(receiveFrom, neighbours.receiveFrom) && isSame(sendTo, neighbours.sendTo)
}

const isSame = (peers: readonly WeightedPeer[], names: Set<PeerName>) =>
  peers.length === names.size && peers.every(({ name }) => names.has(name))

function mixingOf({ receiveFrom, sendTo }: Neighbours): Mixing {
  return { selfWeight: 1 / (1 + receiveFrom.size), receiveFrom: evenly(receiveFrom), sendTo: evenly(sendTo) }
}

function evenly(names: Set<PeerName>): WeightedPeer[] {
  return [...names].sort(compareTexts).map((name) => ({ name, weight: 1 / (1 + names.size) }))
}
