/**
 * Gradient tracking, adapt-then-combine. It is written with a correction c that starts at 0: y = g − c tracks the mean
 * gradient. Only the step of x is mixed after it is made: y is mixed before the difference of the gradients is added.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'

export const gradientTracking = algorithm({
  name: 'gradient-tracking',
  title: 'Gradient tracking',
  source: 'Nedić et al., SIAM J. Optim. 2017, arXiv 1607.03218 (ATC-DIGing)',
  options: z.strictObject({}),
  needs: { weights: 'both', delivery: 'reliable', links: 'exact' },
  keeps: 'mean',
  channels: { pair: { x: 'vector', y: 'vector' } },
  start: ({ x, zero }) => ({ x, c: zero }),
  async round(node, { x, c }, k) {
    const W = node.mixing(k)
    const g = await node.gradient(x)
    const y = linear([1, g], [-1, c]) //                         y_k = g_k − c_k
    const mine = { x: node.step(x, y), y }
    node.pair.send(W, mine)
    const mixed = mix(W, mine, await node.pair.collect(W)) //    x ← W (x − γ y),  W y
    return { x: mixed.x, c: linear([1, g], [-1, mixed.y]) } //   c ← g_k − W y_k, so y_{k+1} = W y_k + g_{k+1} − g_k
  }
})
