/**
 * EXTRA, Algorithm 1 with W̃ = (I + W) / 2: `x_{k+2} = (I + W) x_{k+1} − W̃ x_k − γ (g_{k+1} − g_k)`. It equals W̃ (2
 * x_{k+1} − x_k) − γ (…). d: γ g of the previous round. The exchange does not need the gradient, so the two overlap.
 * All peers start with the same x, so the paper's first step, W x_0 − γ g_0, is x_0 − γ g_0.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'

export const extra = algorithm({
  name: 'extra',
  title: 'EXTRA',
  source: 'Shi et al., SIAM J. Optim. 25(2), 2015, arXiv 1404.6264',
  options: z.strictObject({}),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable', links: 'exact' },
  keeps: 'mean',
  channels: { ahead: { y: 'vector' } },
  start: ({ x, zero }) => ({ x, before: x, d: zero }),
  async round(node, { x, before, d }, k) {
    const W = node.mixing(k)
    const gradient = node.gradient(x)
    const mine = { y: linear([2, x], [-1, before]) } //                            2 x_{k+1} − x_k
    node.ahead.send(W, mine)
    const mixed = mix(W, mine, await node.ahead.collect(W))
    const base = linear([0.5, mine.y], [0.5, mixed.y], [1, d]) //                  W̃ (2 x_{k+1} − x_k) + γ g_k
    const next = node.step(base, await gradient) //                                … − γ g_{k+1}
    return { x: next, before: x, d: linear([1, base], [-1, next]) }
  }
})
