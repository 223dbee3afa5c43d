import type { Links, Milliseconds, PeerName, Random } from '@murmuration/core'
import { bytePerMillisecond } from './line.js'

/** The path of bytes to one peer, apart from the line that all paths share. */
export interface ShapedPath {
  /** Bytes per millisecond that are never exceeded. */
  readonly cap: number
  /** How long the bytes of one hand-over are in flight; random with jitter. */
  delay(): Milliseconds
}

/** The route to a neighbour that has not proven its id yet. */
export const unknownRoute: ShapedPath = { cap: Number.POSITIVE_INFINITY, delay: () => 0 }

/** A full packet's payload: Ethernet's 1500 bytes without the headers of IP and TCP, timestamps included. */
const segmentBytes = 1448

/** The route from one peer to another. */
export function routeOf(links: Links, from: PeerName, to: PeerName, random: Random): ShapedPath {
  const { latency, jitter } = links.path(from, to)
  return { cap: capOf(links, from, to), delay: () => latency + (jitter > 0 ? jitter * random.uniform() : 0) }
}

/**
 * Bytes per millisecond that one connection never exceeds: the least of the path's own bandwidth, the receiver's line,
 * a window per round trip, and TCP's rate under loss: segment / round trip · √(3/2) / √loss (Mathis, Semke, Mahdavi,
 * Ott: The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997, equation 3). That rate includes the
 * time for retransmissions; nothing more is charged for them.
 */
export function capOf(links: Links, from: PeerName, to: PeerName): number {
  const { latency, loss, bandwidth, window } = links.path(from, to)
  const roundTrip = latency + links.path(to, from).latency
  const byLoss = loss > 0 ? (segmentBytes * Math.sqrt(1.5)) / (roundTrip * Math.sqrt(loss)) : Number.POSITIVE_INFINITY
  const byWindow = roundTrip > 0 ? window / roundTrip : Number.POSITIVE_INFINITY
  return Math.min(Math.min(bandwidth, links.access(to).down) / bytePerMillisecond, byWindow, byLoss)
}
