/**
 * MoTEF, Algorithm 1; with λ = 1 it is BEER (Zhao et al., NeurIPS 2022). m: momentum of the gradient; v tracks the mean
 * of all peers' m; h, g: copies of x and v. A round begins with the gradient here, so that both changes travel in one
 * message. h begins at the parameters that all peers start with, g at 0.
 */
import * as z from 'zod'
import { compress, compressorSettings } from '../parts/compressors.js'
import { added, copiesOf, mixCopies } from '../parts/copies.js'
import { algorithm, linear, valueOf } from '@murmuration/engine'

export const motef = algorithm({
  name: 'motef',
  title: 'MoTEF',
  source: 'Islamov et al., ICLR 2025, arXiv 2410.23114',
  options: z.strictObject({
    compressor: compressorSettings
      .prefault({ name: 'top-k', fraction: 0.1 })
      .meta({ description: 'How both changes are compressed before they are sent' }),
    consensus: z
      .number()
      .gt(0)
      .max(1)
      .default(0.1)
      .meta({ description: 'γ, how far a round moves towards the neighbours’ copies' }),
    momentum: z
      .number()
      .gt(0)
      .max(1)
      .default(0.1)
      .meta({ description: 'λ, how much of a gradient goes into m; 1 is BEER' })
  }),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable' },
  keeps: 'mean',
  channels: { changes: { q: 'packed', r: 'packed' } },
  start: ({ x, zero }) => ({ x, m: zero, v: zero, h: copiesOf(x), g: copiesOf(zero) }),
  async round(node, { x, m, v, h, g }, k) {
    const { compressor, consensus: γ, momentum } = node.options
    const W = node.mixing(k)
    const λ = k === 0 ? 1 : momentum
    const mixed = linear([1, x], [γ, mixCopies(W, h, W.own - 1)])
    const m1 = linear([1 - λ, m], [λ, await node.gradient(x)]) //                        m_k = (1 − λ) m_{k−1} + λ ∇F(x_k)
    const v1 = linear([1, v], [γ, mixCopies(W, g, W.own - 1)], [1, m1], [-1, m]) //      v_k = v_{k−1} + γ Σ_j W_ij (g_j − g_i) + m_k − m_{k−1}
    const x1 = node.step(mixed, v1) //                                                   x_{k+1} = x_k + γ Σ_j W_ij (h_j − h_i) − η v_k
    const q = compress(compressor, linear([1, x1], [-1, h.own]), node, 'x', k)
    const r = compress(compressor, linear([1, v1], [-1, g.own]), node, 'v', k)
    node.changes.send(W, { q, r })
    const theirs = await node.changes.collect(W)
    const h1 = added(W, h, q, (j) => valueOf(theirs, j).q)
    const g1 = added(W, g, r, (j) => valueOf(theirs, j).r)
    return { x: x1, m: m1, v: v1, h: h1, g: g1 }
  }
})
