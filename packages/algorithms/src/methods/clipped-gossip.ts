/**
 * ClippedGossip, equation 3: `x_i ← Σ_j W_ij (x_i + clip(x_j − x_i, τ_i))`, `clip(v, τ) = v min(1, τ / ‖v‖)`. It
 * follows a local step, which should use momentum. If no radius is given, τ_i is the distance of the (b + 1)-th
 * farthest neighbour, with b = 1 as in the authors' code. The paper's τ_i² = (1 / δ_i) Σ_{j honest} W_ij ‖x_i − x_j‖²
 * requires knowing which peers are honest.
 */
import * as z from 'zod'
import { addClipped, farthestBut } from '../parts/robust.js'
import { algorithm } from '@murmuration/engine'

export const clippedGossip = algorithm({
  name: 'clipped-gossip',
  title: 'ClippedGossip',
  source: 'He et al. 2022, arXiv 2202.01545',
  options: z.strictObject({
    radius: z
      .number()
      .min(0)
      .default(0)
      .meta({ description: 'τ, how far a neighbour moves a peer at most; 0: the distance of the (b + 1)-th farthest' }),
    b: z.int().min(0).default(1).meta({ description: 'How many neighbours may send wrong numbers, where τ is 0' })
  }),
  needs: { weights: 'rows' },
  keeps: 'nothing',
  channels: { model: { x: 'vector' } },
  edges: { model: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const { radius, b } = node.options
    const half = node.step(x, await node.gradient(x))
    node.model.send(W, { x: half })
    const theirs = await node.model.collect(W)
    return { x: addClipped(W, half, theirs, (all) => (radius > 0 ? radius : farthestBut(b, all))) }
  }
})
