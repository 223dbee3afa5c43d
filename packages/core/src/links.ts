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
