import type { Milliseconds, PeerName } from './names.js'

/** A peer's access link, full duplex; all its traffic shares it. Bits per second; Infinity for no limit. */
export interface AccessLink {
  readonly up: number
  readonly down: number
}

/** A line that several pairs of peers share. Paths that name the same pipe share it. */
export interface Pipe {
  readonly name: string
  /** Bits per second, more than 0. */
  readonly bandwidth: number
}

/** The path from one peer to another. */
export interface PathLink {
  /** One way. */
  readonly latency: Milliseconds
  /** How far the latency varies: evenly between `latency` and `latency + jitter`. */
  readonly jitter: Milliseconds
  /** The fraction of packets that is lost, 0 … 1. */
  readonly loss: number
  /** Bits per second of this path alone; Infinity when only shared lines limit it. */
  readonly bandwidth: number
  /** Unacknowledged bytes in flight, at most; this caps the rate at window / round trip. Infinity for no cap. */
  readonly window: number
  /** The shared lines on the path, besides the peers' access links. */
  readonly pipes: readonly Pipe[]
}

/** The network between peers. */
export interface Links {
  access(peer: PeerName): AccessLink
  path(from: PeerName, to: PeerName): PathLink
}

/** A full packet's payload: Ethernet's 1500 bytes without the headers of IP and TCP, timestamps included. */
export const segmentBytes = 1448

/**
 * The most that one flow gets on its path, in bytes per millisecond: the path's own bandwidth; a window per round trip;
 * and on a stream what loss leaves to TCP, segment / round trip · √(3/2) / √loss (Mathis, Semke, Mahdavi, Ott: The
 * Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997, equation 3). That rate includes the time of
 * retransmissions, so nothing more is charged for them.
 */
export function pathCap(
  path: PathLink,
  returnPath: PathLink,
  {
    latencyFactor = 1,
    transport = 'stream'
  }: { readonly latencyFactor?: number; readonly transport?: 'stream' | 'datagram' } = {}
): number {
  const roundTrip: Milliseconds = (path.latency + returnPath.latency) * latencyFactor
  const byLoss =
    path.loss > 0 && transport === 'stream'
      ? (segmentBytes * Math.sqrt(1.5)) / (roundTrip * Math.sqrt(path.loss))
      : Infinity
  const byWindow = roundTrip > 0 ? path.window / roundTrip : Infinity
  return Math.min(path.bandwidth / 8000, byWindow, byLoss)
}
