/** The duality gap of a round, from the parts of all peers. */
import type { GapPart, NeighbourDistance } from '@murmuration/core'
import type { Mixing } from '../record/record.js'

/**
 * A bound of the duality gap `P(w̄) − D(a)` of the mean model w̄ = w(a), and so of `P(w̄) − P(w*)`.
 *
 * With w = w̄ = w(a), `P − D = λ ‖w̄‖² + 1/(K n) Σ_i (ℓ_i(w̄) + ℓ*_i(−a_i))`, whose first term is at most the mean of
 * `λ ‖v_k‖²`. Peer k has the losses of its samples at its own model v_k; those at w̄ follow from the distance d_k = ‖v_k −
 * w̄‖. Any two models of a connected graph are apart by at most E, the sum of the distances over its edges, and v_k is a
 * mean of models, so d_k ≤ E. Hence the mean of `value + slope E + curvature E²` over all peers. Where the graph is
 * complete and its weights are equal, E = 0, and the bound is the gap itself, up to the rounding of float32.
 *
 * The decentralised gap of He, Bian and Jaggi (NeurIPS 2018, arXiv 1808.04883) is of all models together; this one is
 * of one model.
 *
 * @param parts - of all peers, of the same round
 */
export function gapOf(parts: readonly GapPart[]): number {
  // Both ends of an edge have its length.
  const edges = parts.reduce((sum, { spread }) => sum + spread, 0) / 2
  const bounds = parts.map(({ value, slope, curvature }) => value + slope * edges + curvature * edges * edges)
  return bounds.reduce((sum, bound) => sum + bound, 0) / parts.length
}

/** How far two weights may be apart that count as equal. */
const tolerance = 1e-9

/**
 * The spread of the models after a round that mixes with W, from the distances before; undefined where some are
 * unknown, or where weights below 0 may bring models further apart.
 */
export function spreadOf(W: Mixing, distances: readonly NeighbourDistance[], peers: number): number | undefined {
  const isMean = W.from.length === peers - 1 && W.from.every((peer) => Math.abs(W.row(peer) - W.own) <= tolerance)
  if (distances.length !== W.from.length || W.own < 0 || W.from.some((peer) => W.row(peer) < 0)) return undefined
  return isMean ? 0 : distances.reduce((sum, { distance }) => sum + distance, 0)
}
