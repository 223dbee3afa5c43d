import type { Links, Milliseconds, PeerName, Random } from '@murmuration/core'
import { bytePerMillisecond } from './line.js'

/** What happens to bytes on the way to one peer, beside the line that all ways share. */
export interface Route {
  /** Bytes per millisecond that are never exceeded. */
  readonly cap: number
  /** How long so many bytes fly. Drawn anew for each hand-over. */
  delay(bytes: number): Milliseconds
}

/** Of a neighbour that is not known yet. */
export const unknownRoute: Route = { cap: Number.POSITIVE_INFINITY, delay: () => 0 }

/** A full packet's payload: Ethernet's 1500 bytes without the headers of IP and TCP, timestamps included. */
const segmentBytes = 1448

/** The way from one peer to another. */
export function routeOf(links: Links, from: PeerName, to: PeerName, random: Random): Route {
  const { latency, jitter, loss } = links.path(from, to)
  const roundTrip = latency + links.path(to, from).latency
  return {
    cap: capOf(links, from, to),
    delay: (bytes) => {
      const late = jitter > 0 ? jitter * random.uniform() : 0
      return latency + late + roundTrip * timesLost(Math.ceil(bytes / segmentBytes), loss, random)
    }
  }
}

/**
 * Bytes per millisecond that one connection never exceeds: the least of the path's own bandwidth, the receiver's line, a window
 * per round trip, and what loss leaves to TCP: segment / round trip · √(3/2) / √loss (Mathis, Semke, Mahdavi, Ott: The
 * Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997, equation 3).
 */
export function capOf(links: Links, from: PeerName, to: PeerName): number {
  const { latency, loss, bandwidth, window } = links.path(from, to)
  const roundTrip = latency + links.path(to, from).latency
  const byLoss = loss > 0 ? (segmentBytes * Math.sqrt(1.5)) / (roundTrip * Math.sqrt(loss)) : Number.POSITIVE_INFINITY
  const byWindow = roundTrip > 0 ? window / roundTrip : Number.POSITIVE_INFINITY
  return Math.min(Math.min(bandwidth, links.access(to).down) / bytePerMillisecond, byWindow, byLoss)
}

/**
 * How many times in a row something is lost of so many packets, and is sent again a round trip later. All are through after
 * r more times with the probability (1 − loss^(r+1))^packets.
 */
function timesLost(packets: number, loss: number, random: Random): number {
  if (loss === 0) return 0
  const chance = random.uniform()
  let times = 0
  while (times < 100 && (1 - loss ** (times + 1)) ** packets < chance) times++
  return times
}
