/**
 * SPARTA with the neighbours in place of all peers: in each round only the parameters with indices in S_k are mixed. It
 * is a small set that is drawn anew, the same at all peers. Nothing is kept of neighbours or of the other parameters,
 * so messages may be lost and the graph may change. A round reduces the squared disagreement on average to 1 − p (1 −
 * ρ²) of its value, or less, with p the fraction that is mixed and ρ the contraction of W.
 */
import * as z from 'zod'
import { addFlow, algorithm, linear, mix } from '@murmuration/engine'
import { drawn, masked } from '../parts/masks.js'

export const sparseGossip = algorithm({
  name: 'sparse-gossip',
  title: 'Sparse gossip',
  source: 'Beton et al., ICLR 2025 workshop (SPARTA), OpenReview stFPf3gzq1',
  options: z.strictObject({
    fraction: z
      .number()
      .gt(0)
      .max(1)
      .default(0.05)
      .meta({ description: 'p, the fraction of the parameters that is mixed in a round' })
  }),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { some: { x: 'packed' } },
  edges: { some: addFlow },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const half = node.step(x, await node.gradient(x)) //              x_i − γ g_i
    const mask = drawn(k, x.length, Math.ceil(node.options.fraction * x.length))
    const mine = { x: masked(half, mask) } //                         x_i[S_k]
    node.some.send(W, mine)
    const mixed = mix(W, mine, await node.some.collect(W))
    return { x: linear([1, half], [1, masked(mixed.x, mask)], [-1, mine.x]) } // x_i[S_k] ← Σ_j W_ij x_j[S_k]
  }
})
