/** The duality gap of a round, from the parts of all peers. */
import type { GapPart, NeighbourDistance, PeerName } from '@murmuration/core'
import type { Mixing } from '../record/record.js'

/**
 * A bound of the duality gap `P(w̄) − D(a)` of the mean model w̄ = w(a), and so of `P(w̄) − P(w*)`.
 *
 * With w = w̄ = w(a), `P − D = λ ‖w̄‖² + 1/(K n) Σ_i (ℓ_i(w̄) + ℓ*_i(−a_i))`, whose first term is at most the mean of
 * `λ ‖v_k‖²`. Peer k has the losses of its samples at its own model v_k, and so bounds of those at w̄, at the distance
 * d_k = ‖v_k − w̄‖. Of all distances only the mean square d² is bounded: before the round's mixing with a symmetric W
 * the models u_k have `Σ_kj W_kj ‖u_k − u_j‖² = 2 tr Uᵀ (I − W) U ≥ 2 (1 − β) Σ_k ‖u_k − w̄‖²`, and mixing makes that
 * at most β² times as large. By Cauchy and Schwarz the mean of `slope d_k` is at most d times the root mean square of
 * the slopes. On the complete graph with equal weights β = 0, and the bound is the gap, up to float32's rounding.
 *
 * The decentralised gap of He, Bian and Jaggi (NeurIPS 2018, arXiv 1808.04883) is of all models together; this one is
 * of one model.
 *
 * @param parts - of all peers, of the same round
 * @param contraction - β, the largest |eigenvalue| of W but for the one that is 1; below 1
 */
export function gapOf(parts: readonly GapPart[], contraction: number): number {
  const mean = (pick: (part: GapPart) => number) => parts.reduce((sum, part) => sum + pick(part), 0) / parts.length
  const square = (contraction ** 2 * mean(({ spread }) => spread)) / (2 * (1 - contraction))
  const slope = Math.sqrt(mean(({ slope }) => slope * slope))
  const curvature = Math.max(...parts.map((part) => part.curvature))
  return mean(({ value }) => value) + slope * Math.sqrt(square) + curvature * square
}

/** `Σ_j W_kj ‖u_k − u_j‖²`, from the distances before mixing; undefined where some are unknown. */
export function spreadOf(W: Mixing, distances: readonly NeighbourDistance[]): number | undefined {
  if (distances.length !== W.from.length) return undefined
  return distances.reduce((sum, { from, distance }) => sum + W.row(from) * distance * distance, 0)
}

/** Of how many rounds the parts of a peer are kept. */
const maxRounds = 4

/** The newest parts of each peer. */
export class GapParts {
  readonly #parts = new Map<PeerName, Map<number, GapPart>>()

  add(peer: PeerName, round: number, part: GapPart): void {
    const own = this.#parts.get(peer) ?? new Map<number, GapPart>()
    this.#parts.set(peer, own.set(round, part))
    if (own.size > maxRounds) own.delete(Math.min(...own.keys()))
  }

  /** The {@link gapOf} the newest round of which the parts of all `peers` are known; undefined where there is none. */
  gap(peers: readonly PeerName[], contraction: number): number | undefined {
    const [first, ...others] = peers.map((peer) => this.#parts.get(peer))
    if (first === undefined) return undefined
    for (const round of [...first.keys()].sort((left, right) => right - left)) {
      const parts = [first, ...others].flatMap((own) => own?.get(round) ?? [])
      if (parts.length === peers.length) return gapOf(parts, contraction)
    }
    return undefined
  }
}
