import type { PeerName } from './names.js'

/**
 * A neighbour, and the weight of the edge: `W_ij` of a peer j that peer i receives from, `W_ji` of one that it sends
 * to.
 */
export interface WeightedPeer {
  readonly name: PeerName
  /** Above 0, at most 1. */
  readonly weight: number
}

/**
 * One peer's row and column of the mixing matrix `W` in one round: the peers that it receives from, and those that it
 * sends to. `selfWeight` and the weights in `receiveFrom` sum to 1.
 */
export interface Mixing {
  /** The weight of the peer's own parameters, `W_ii`. */
  readonly selfWeight: number
  /** The peers `j` ≠ i with `W_ij` > 0, in the order of their names. */
  readonly receiveFrom: readonly WeightedPeer[]
  /**
   * The peers `j` ≠ i with `W_ji` > 0 and these weights, in the order of their names. Equal to `receiveFrom` when `W`
   * is symmetric.
   */
  readonly sendTo: readonly WeightedPeer[]
  /**
   * In a repaired row: the weight that this peer offers each neighbour. It is sent with the messages; absent in the
   * topology's own rows.
   */
  readonly offer?: number
}

/** The neighbours of each peer, and the mixing weights; static, or changing by round with a period. */
export interface Topology {
  /** All peers, in the order of their names. */
  readonly peers: readonly PeerName[]
  /** After how many rounds the mixing repeats; 1 for a static topology. */
  readonly period: number
  /** The row of `peer` in `round` (0, 1, …). Throws a RangeError for a peer that the topology does not have. */
  mixing(peer: PeerName, round: number): Mixing
}
