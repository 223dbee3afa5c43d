import { byName, type PeerName, type Topology } from '@murmuration/core'

/**
 * Peers in lines, one peer for each stage of a model: dealt out in turn, so that the first peers are the first line.
 *
 * @param peers - a multiple of `stages`
 */
export function linesOf(peers: readonly PeerName[], stages: number): readonly (readonly PeerName[])[] {
  return Array.from({ length: peers.length / stages }, (_, line) => peers.slice(line * stages, (line + 1) * stages))
}

/**
 * One topology of several that have no peer in common: of the stages of a model, whose peers have graphs of their own.
 * The period is that of all together.
 */
export function unionOf(topologies: readonly Topology[]): Topology {
  const ofPeer = new Map(topologies.flatMap((topology) => topology.peers.map((peer) => [peer, topology] as const)))
  return {
    peers: topologies.flatMap(({ peers }) => peers).sort(byName),
    period: topologies.map(({ period }) => period).reduce(leastCommonMultiple, 1),
    mixing(peer, round) {
      const topology = ofPeer.get(peer)
      if (topology === undefined) throw new RangeError(`"${peer}" is in none of the ${topologies.length} topologies`)
      return topology.mixing(peer, round)
    }
  }
}

/** A single peer, which has no neighbours: a stage of a single line. */
export function alone(peer: PeerName): Topology {
  return { peers: [peer], period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
}

function leastCommonMultiple(left: number, right: number): number {
  let [a, b] = [left, right]
  while (b > 0) [a, b] = [b, a % b]
  return (left / a) * right
}
