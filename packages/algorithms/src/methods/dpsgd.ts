/**
 * D-PSGD, Algorithm 1. W: mixing matrix; γ: the learning rate; g: the gradient on a local batch. Beyond the paper: the
 * order 'adapt-then-combine', and an exchange that begins only after the gradient, which matches how the published
 * times grow (studies/claims.md).
 */
import * as z from 'zod'
import { addFlow, algorithm, mix } from '@murmuration/engine'

export const dpsgd = algorithm({
  name: 'dpsgd',
  title: 'D-PSGD',
  source: 'Lian et al., NIPS 2017, arXiv 1705.09056',
  options: z.strictObject({
    order: z.enum(['combine-then-adapt', 'adapt-then-combine']).default('combine-then-adapt').meta({
      description:
        'combine-then-adapt: the gradient and the exchange overlap. adapt-then-combine: first the step, then the exchange'
    }),
    overlap: z.boolean().default(true).meta({
      description: 'With combine-then-adapt: whether the exchange runs while the gradient is computed, or after it'
    })
  }),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  edges: { model: addFlow },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const { order, overlap } = node.options
    const W = node.mixing(k)
    const gradient = node.gradient(x)
    if (order === 'adapt-then-combine') {
      const half = node.step(x, await gradient) //                  x_i − γ g(x_i; ξ_i)
      node.model.send(W, { x: half })
      return mix(W, { x: half }, await node.model.collect(W)) //    x_i ← Σ_j W_ij (x_j − γ g(x_j; ξ_j))
    }
    if (!overlap) await gradient
    node.model.send(W, { x }) //                                    x_i to the neighbours while its gradient is computed
    const mixed = mix(W, { x }, await node.model.collect(W))
    return { x: node.step(mixed.x, await gradient) } //             x_i ← Σ_j W_ij x_j − γ g(x_i; ξ_i)
  }
})
