/** A spanning tree of a packing. Peers are numbers: their indices in the list of peers, in the order of names. */
export interface PackedTree {
  readonly root: number
  /** Bits per second of the vector that travel along this tree; above 0. */
  readonly weight: number
  /** All-reduce: the peer to which each peer sends its partial sums; −1 at the root. A broadcast has none. */
  readonly into?: readonly number[]
  /** The peer from which each peer receives the result; −1 at the root. */
  readonly out: readonly number[]
}

/** Trees that together carry as much of the vector per second as the lines allow. */
export interface TreePacking {
  /** The largest weight first; at most as many as there are lines. */
  readonly trees: readonly PackedTree[]
  /**
   * The sum of the weights: bits of the vector per second that have passed through the whole collective. Infinity where
   * no line limits it: then the weights are 1 each, and only their ratio counts.
   */
  readonly rate: number
  /**
   * No trees at all are faster than this, in bits per second. Up to 24 peers it is `rate`, up to 64 at most 1 % more.
   * It is further above beyond, and where hundreds of pairs have uneven limits, so that the search was cut off.
   */
  readonly bound: number
  /** The lines that limit the rate, as names for people, such as "ann up"; those that cost the most first. */
  readonly limits: readonly string[]
}
