import type { Milliseconds, PeerName } from './names.js'

/** A peer's own line, full duplex, which all that it sends or receives shares. Bits per second; Infinity when nothing limits it. */
export interface AccessLink {
  readonly up: number
  readonly down: number
}

/** A line that several pairs of peers share. Those that name the same pipe share it. */
export interface Pipe {
  readonly name: string
  /** Bits per second, more than 0. */
  readonly bandwidth: number
}

/** The way from one peer to another. */
export interface PathLink {
  /** One way. */
  readonly latency: Milliseconds
  /** How far the latency varies: evenly between `latency` and `latency + jitter`. */
  readonly jitter: Milliseconds
  /** The fraction of packets that is lost, 0 … 1. */
  readonly loss: number
  /** Bits per second of this way alone; Infinity when only the lines that it shares limit it. */
  readonly bandwidth: number
  /** Bytes that may be on their way, unacknowledged; this caps the rate at window / round trip. Infinity for no cap. */
  readonly window: number
  /** The shared lines that it goes through, beside the peers' own. */
  readonly pipes: readonly Pipe[]
}

/** The network between peers. */
export interface Links {
  access(peer: PeerName): AccessLink
  path(from: PeerName, to: PeerName): PathLink
}
