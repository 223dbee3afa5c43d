/** Gossip with periodic global averaging: every H-th round takes the exact mean over all peers, others gossip. */
import * as z from 'zod'
import { wholeMean } from '../parts/collectives/mean-over.js'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { collectiveOptions } from '../parts/collectives/options.js'
import { algorithm, mix } from '@murmuration/engine'

export const gossipPga = algorithm({
  name: 'gossip-pga',
  title: 'Gossip-PGA',
  source: 'Chen et al., ICML 2021, arXiv 2105.09080',
  options: z.strictObject({
    period: z.int().min(1).default(8).meta({ description: 'Rounds between two exact means' }),
    ...collectiveOptions
  }),
  fromGraph: collectiveOn,
  needs: { weights: 'both', reach: 'everyone', delivery: 'reliable' },
  keeps: 'mean',
  channels: { model: { x: 'vector' }, all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const half = node.step(x, await node.gradient(x))
    if ((k + 1) % node.options.period === 0) return { x: await wholeMean(node.all, node.route(k), half, node.options) }
    const W = node.mixing(k)
    node.model.send(W, { x: half })
    return mix(W, { x: half }, await node.model.collect(W))
  }
})
