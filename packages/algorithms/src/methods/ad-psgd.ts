/**
 * AD-PSGD: every peer computes gradients at its own pace, and meanwhile averages with one neighbour at a time.
 *
 * Unlike in the paper, a peer answers a request at once, even while it waits for an answer itself; both ends move by
 * half of the difference of what was sent. So the sum is kept, no cycle of waits can form, and the graph need not be
 * bipartite. If two peers ask each other at the same moment, one request is refused, so that both meet in the middle.
 * Without a reply a round is a gradient step alone. With a period H a peer asks only after every H steps, which is
 * SwarmSGD (Nadiradze et al., NeurIPS 2021) where every peer has its own pace.
 */
import * as z from 'zod'
import { algorithm, linear } from '@murmuration/engine'

export const adPsgd = algorithm({
  name: 'ad-psgd',
  title: 'AD-PSGD',
  source: 'Lian et al., ICML 2018, arXiv 1710.06952',
  options: z.strictObject({
    period: z.int().min(1).default(1).meta({ description: 'H, steps of a peer between two requests' })
  }),
  needs: { weights: 'symmetric' },
  keeps: 'mean',
  channels: { swap: { ask: { x: 'vector' }, reply: { x: 'vector' } } },
  edges: { swap: 0.5 },
  start: ({ x }) => ({ x }),
  async round(node, { x: sent }, k) {
    const gradient = node.gradient(sent) //                                    at x̂ = x as the round began
    const { to } = node.mixing(k)
    const isAsking = to.length > 0 && (k + 1) % node.options.period === 0
    const j = isAsking ? to[node.random('partner', k).integer(to.length)] : undefined
    const theirs = j && (await node.swap.request(j, { x: sent }))
    if (theirs) node.change(({ x }) => ({ x: linear([1, x], [0.5, theirs.x], [-0.5, sent]) }))
    const g = await gradient
    node.change(({ x }) => ({ x: node.step(x, g) })) //                        applied to x as it is now
  },
  answers: {
    swap: (_node, { x }, theirs) => ({ state: { x: linear([0.5, x], [0.5, theirs.x]) }, reply: { x } })
  }
})
