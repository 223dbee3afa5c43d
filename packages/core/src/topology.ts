import type { PeerName } from './names.js'

/** A neighbour, and the weight of the edge between: `W_ij` of one that peer i receives from, `W_ji` of one that it sends to. */
export interface WeightedPeer {
  readonly name: PeerName
  /** Above 0, at most 1. */
  readonly weight: number
}

/**
 * One peer's row and column of the mixing matrix `W` in one round: who it averages with, and who averages with it.
 * The weights of those that it receives from, `selfWeight` included, sum to 1.
 */
export interface Mixing {
  /** The fraction of one's own parameters, `W_ii`. */
  readonly selfWeight: number
  /** The peers `j` ≠ i with `W_ij` > 0, in the order of their names. */
  readonly receiveFrom: readonly WeightedPeer[]
  /** The peers `j` ≠ i with `W_ji` > 0 and these weights, in the order of their names. The same as above when `W` is symmetric. */
  readonly sendTo: readonly WeightedPeer[]
  /** In a row that differs from the topology's: what this peer offers each neighbour. It travels with what is sent; absent in the topology's own. */
  readonly offer?: number
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
