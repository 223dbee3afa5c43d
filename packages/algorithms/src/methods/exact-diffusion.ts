/**
 * Exact diffusion, equations 7 to 9: D² with (W + I) / 2 in place of W. So any symmetric W works. The correction c =
 * x_k − ψ_k starts at 0.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'

export const exactDiffusion = algorithm({
  name: 'exact-diffusion',
  title: 'Exact diffusion',
  source: 'Yuan et al., IEEE TSP 67(3), 2019, arXiv 1702.05122',
  options: z.strictObject({}),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable', links: 'exact' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  start: ({ x, zero }) => ({ x, c: zero }),
  async round(node, { x, c }, k) {
    const W = node.mixing(k)
    const ψ = node.step(x, await node.gradient(x)) //                adapt:   ψ_{k+1} = x_k − γ g_k
    const mine = { x: linear([1, ψ], [1, c]) } //                    correct: φ = ψ_{k+1} + x_k − ψ_k
    node.model.send(W, mine)
    const mixed = mix(W, mine, await node.model.collect(W))
    const next = linear([0.5, mine.x], [0.5, mixed.x]) //            combine: x_{k+1} = (W + I) / 2 φ
    return { x: next, c: linear([1, next], [-1, ψ]) }
  }
})
