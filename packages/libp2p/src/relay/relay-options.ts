import type { Milliseconds } from '@murmuration/core'

/** How a peer uses relays (libp2p's circuit relay v2), and whether it is one. */
export interface RelayOptions {
  /** Multiaddrs of the relays through which others can reach this peer; none when absent. */
  readonly via?: readonly string[] | undefined
  /**
   * Makes this peer a relay for others, with limits that differ from {@link relayLimits}; it is no relay when absent.
   */
  readonly offers?: Partial<RelayLimits> | undefined
  /** Whether vectors may go through a relay, if the neighbour allows it too. */
  readonly vectors?: boolean | undefined
}

/** Bounds of a relay. */
export interface RelayLimits {
  /** The most peers that hold a reservation at a time. */
  readonly reservations: number
  /** The most of them from one source: an IPv4 address, or a /64 of IPv6. */
  readonly perSource: number
  /** The most connections through it at a time. */
  readonly connections: number
  /** How long a connection through it may last; peers then build another one. */
  readonly duration: Milliseconds
  /** The most bytes of a connection through it, both ways together. */
  readonly bytes: number
}

/** The default limits. */
export const relayLimits: RelayLimits = {
  reservations: 32,
  perSource: 8,
  connections: 64,
  duration: 60 * 60_000,
  bytes: 64 << 20
}
