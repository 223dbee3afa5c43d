import type { PeerName } from './names.js'

/** A peer that one receives from, and its share in the average. */
export interface WeightedPeer {
  readonly name: PeerName
  /** Above 0, at most 1. */
  readonly weight: number
}

/**
 * One peer's row of the mixing matrix `W` in one round: who it averages with, and who averages with it.
 * The weights, `selfWeight` included, sum to 1.
 */
export interface Mixing {
  /** The share of one's own parameters, `W_ii`. */
  readonly selfWeight: number
  /** The peers `j` ≠ i with `W_ij` > 0, in the order of their names. */
  readonly receiveFrom: readonly WeightedPeer[]
  /** The peers `j` ≠ i with `W_ji` > 0, in the order of their names. The same peers as above when `W` is symmetric. */
  readonly sendTo: readonly PeerName[]
}

/** Who is whose neighbour, and the mixing weights; static, or changing by round with a period. */
export interface Topology {
  /** All peers, in the order of their names. */
  readonly peers: readonly PeerName[]
  /** After how many rounds the mixing repeats; 1 for a static topology. */
  readonly period: number
  /** The row of `peer` in `round` (0, 1, …). Throws a RangeError for a peer that the topology does not have. */
  mixing(peer: PeerName, round: number): Mixing
}
