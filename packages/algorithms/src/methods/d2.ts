/**
 * D², Algorithm 1: `x_{k+1} = W (2 x_k − x_{k−1} − γ (g_k − g_{k−1}))`. It is written with the correction c = x_k −
 * (x_{k−1} − γ g_{k−1}), which starts at 0, so that the rate and the optimiser may change from round to round. The mean
 * of c over the peers is 0.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'

export const d2 = algorithm({
  name: 'd2',
  title: 'D²',
  source: 'Tang et al., ICML 2018, arXiv 1803.07068',
  options: z.strictObject({}),
  needs: { weights: 'symmetric', graph: 'fixed', eigenvalues: -1 / 3, delivery: 'reliable', links: 'exact' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  start: ({ x, zero }) => ({ x, c: zero }),
  async round(node, { x, c }, k) {
    const W = node.mixing(k)
    const half = node.step(x, await node.gradient(x)) //         x_k − γ g_k
    const mine = { x: linear([1, half], [1, c]) }
    node.model.send(W, mine)
    const mixed = mix(W, mine, await node.model.collect(W)) //   x_{k+1} = W (x_k − γ g_k + c)
    return { x: mixed.x, c: linear([1, mixed.x], [-1, half]) }
  }
})
