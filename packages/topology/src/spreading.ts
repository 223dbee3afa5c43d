import type { PeerName, Topology } from '@murmuration/core'

/** Of a graph that changes by round, so many rounds at most are tried as the first. */
const maxStarts = 8

/**
 * In how many rounds what one peer tells, and all that hear it repeat, has reached all others, whoever it is: the
 * diameter where the graph stays the same. Infinity where some peer cannot reach another.
 */
export function roundsToReachAll(topology: Topology): number {
  const starts = Array.from({ length: Math.min(topology.period, maxStarts) }, (_, round) => round)
  return Math.max(...starts.map((start) => roundsFrom(topology, start)))
}

function roundsFrom(topology: Topology, start: number): number {
  const { peers, period } = topology
  const places = new Map(peers.map((peer, place) => [peer, place]))
  let known = peers.map((_, place) => new Set([place]))
  for (let rounds = 0; rounds < period * peers.length; rounds++) {
    if (known.every(({ size }) => size === peers.length)) return rounds
    known = told(topology, (start + rounds) % period, known, places)
  }
  return Number.POSITIVE_INFINITY
}

/** What each peer knows after a round. */
function told(
  topology: Topology,
  round: number,
  known: readonly ReadonlySet<number>[],
  places: ReadonlyMap<PeerName, number>
): Set<number>[] {
  const next = known.map((before) => new Set(before))
  for (const [place, peer] of topology.peers.entries())
    for (const { name } of topology.mixing(peer, round).sendTo) {
      const receiver = next[places.get(name) ?? place]
      for (const each of known[place]) receiver.add(each)
    }
  return next
}
