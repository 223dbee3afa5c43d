/**
 * Copies x̂ of vectors that travel compressed: a peer keeps its own and one of each neighbour, the same bit by bit at
 * all peers.
 */
import type { PeerName } from '@murmuration/core'
import { linear, linearOf, type Mixing, type PerPeer, perPeer, type Vector } from '@murmuration/engine'

/** The peer's own copy, and those of the neighbours; before the first round these equal its own. */
export interface Copies {
  readonly [name: string]: Vector | PerPeer<Vector>
  readonly own: Vector
  readonly of: PerPeer<Vector>
}

/** The first copies: all hold the same vector, which all peers know. */
export function copiesOf(x: Vector): Copies {
  return { own: x, of: perPeer() }
}

/** `x̂_j ← x̂_j + q_j` for this peer and each neighbour, with what they have sent. */
export function added(W: Mixing, { own, of }: Copies, q: Vector, theirs: (j: PeerName) => Vector): Copies {
  const next = perPeer<Vector>()
  for (const j of W.from) next[j] = linear([1, of[j] ?? own], [1, theirs(j)])
  return { own: linear([1, own], [1, q]), of: next }
}

/** `Σ_j W_ij x̂_j` with `weight` for the peer's own copy: W_ii − 1 gives `Σ_j W_ij (x̂_j − x̂_i)`. */
export function mixCopies(W: Mixing, { own, of }: Copies, weight = W.own): Vector {
  return linearOf([[weight, own], ...W.from.map((j) => [W.row(j), of[j] ?? own] as const)])
}
