/** Copies x̂ of vectors that travel compressed: everybody's of itself, and that of each neighbour, which are the same bit by bit. */
import type { PeerName } from '@murmuration/core'
import { linear, linearOf, type Vector } from './node/vector.js'
import { messageOf, type Mixing, type PerPeer, perPeer } from './record.js'

/** One's own copy, and those of the neighbours; before the first round these are as one's own. */
export interface Copies {
  readonly [name: string]: Vector | PerPeer<Vector>
  readonly own: Vector
  readonly of: PerPeer<Vector>
}

/** Where all copies begin: with the same vector, which all peers know. */
export function copiesOf(x: Vector): Copies {
  return { own: x, of: perPeer() }
}

/** `x̂_j ← x̂_j + q_j` for oneself and each neighbour, with what all of them have sent. */
export function added(W: Mixing, { own, of }: Copies, q: Vector, theirs: (j: PeerName) => Vector): Copies {
  const next = perPeer<Vector>()
  for (const j of W.from) next[j] = linear([1, messageOf(of, j) ?? own], [1, theirs(j)])
  return { own: linear([1, own], [1, q]), of: next }
}

/** `Σ_j W_ij x̂_j`, one's own with `own` for its weight: W_ii − 1 gives `Σ_j W_ij (x̂_j − x̂_i)`. */
export function mixCopies(W: Mixing, { own, of }: Copies, weight = W.own): Vector {
  return linearOf([[weight, own], ...W.from.map((j) => [W.row(j), messageOf(of, j) ?? own] as const)])
}
