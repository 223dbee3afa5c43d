/**
 * Lazy gossip: a step on one's own in every round, and every `period` rounds a part of the way to the neighbours'
 * average.
 *
 * x: one's own parameters; W: the mixing matrix; β: how far to go.
 */
import { algorithm, linear, mix } from '@murmuration/algorithms'
import { z } from 'zod'

export const lazyGossip = algorithm({
  name: 'lazy-gossip',
  title: 'Lazy gossip',
  source: 'this example',
  options: z.strictObject({
    period: z.int().min(1).default(2).meta({ description: 'Rounds from one exchange to the next' }),
    towards: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .meta({ description: 'How far to go to the average: 1 is all the way' })
  }),
  needs: { weights: 'both' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const { period, towards: β } = node.options
    const half = node.step(x, await node.gradient(x)) //          x_i − γ g(x_i; ξ_i)
    if ((k + 1) % period !== 0) return { x: half }
    const W = node.mixing(k)
    node.model.send(W, { x: half })
    const average = mix(W, { x: half }, await node.model.collect(W))
    return { x: linear([1 - β, half], [β, average.x]) } //        (1 − β) x_i + β Σ_j W_ij x_j
  }
})
