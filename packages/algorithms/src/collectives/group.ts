import { byName, type Fabric, invariant, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { Mail } from '../mail.js'
import type { Stretch } from '../stretches.js'

/** Peers that compute something together, as one of them sees it. */
export interface Group {
  /** All of them, oneself included, in the order of their names. */
  readonly names: readonly PeerName[]
  /** One's own place in `names`. */
  readonly rank: number
  readonly mail: Mail
}

/** One call of a collective. Everybody in the group makes the same calls in the same order. */
export interface Call {
  /** Tells this call's messages from those of other rounds; it never goes back. */
  readonly round: number
  /** Which part of the vectors it is about. Calls of one round are about different parts. */
  readonly stretch: Stretch
  /** How many pieces a message is cut into where that makes it faster, 1 or more. */
  readonly pieces: number
}

/**
 * Writes the mean over the group of everybody's `own` into `out`, in the call's stretch, with the same bits everywhere.
 *
 * `out` may not share memory with `own`. Afterwards `own` may change, since all have what was sent of it. What was sent of
 * `out` may still be on its way: only a next call writes over it, once it has heard of all.
 *
 * @throws NeighboursMissingError that names whom it waited for longer than the patience
 */
export type AllReduce = (group: Group, own: Float32Array, out: Float32Array, call: Call) => Promise<void>

/**
 * As {@link AllReduce}, of any number of stretches at once.
 *
 * @param shares - the pieces that belong to each rank; together the stretches
 */
export type AllReduceOver = (
  group: Group,
  own: Float32Array,
  out: Float32Array,
  round: number,
  shares: readonly (readonly Stretch[])[]
) => Promise<void>

/**
 * The group of `members`, of whom `fabric`'s peer is one. All collectives of a peer go through one group.
 *
 * @param length - how many numbers the vectors have
 */
export function joinGroup(
  fabric: Fabric<VectorMessage>,
  members: readonly PeerName[],
  patience: Milliseconds,
  length: number
): Group {
  const names = [...members].sort(byName)
  const rank = names.indexOf(fabric.self)
  invariant(rank >= 0, () => `${fabric.self} is not of the group ${names.join(', ')}`)
  invariant(new Set(names).size === names.length, () => `a name comes twice in the group ${names.join(', ')}`)
  return { names, rank, mail: new Mail(fabric, patience, length) }
}
