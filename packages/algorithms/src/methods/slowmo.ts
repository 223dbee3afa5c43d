/**
 * SlowMo, Algorithm 1, over local SGD: after τ steps the exact mean, then a step with slow momentum u. It starts where
 * the τ steps began.
 */
import * as z from 'zod'
import { wholeMean } from '../parts/collectives/mean-over.js'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { collectiveOptions } from '../parts/collectives/options.js'
import { algorithm, linear } from '@murmuration/engine'
import { atPeriod } from '../parts/schedule.js'

export const slowMo = algorithm({
  name: 'slowmo',
  title: 'SlowMo',
  source: 'Wang et al., ICLR 2020, arXiv 1910.00643',
  options: z.strictObject({
    period: z.int().min(1).default(12).meta({ description: 'τ, steps between two means' }),
    momentum: z.number().min(0).lt(1).default(0.6).meta({ description: 'β of the slow momentum' }),
    slowRate: z.number().positive().default(1).meta({ description: 'α, in units of the rate' }),
    ...collectiveOptions
  }),
  fromGraph: collectiveOn,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['outer', 'u'],
  channels: { all: { part: 'range' } },
  start: ({ x, zero }) => ({ x, outer: x, u: zero }),
  async round(node, { x, outer, u }, k) {
    const { momentum: β, slowRate: α } = node.options
    const half = node.step(x, await node.gradient(x))
    if (!atPeriod(node, k)) return { x: half, outer, u }
    const mean = await wholeMean(node.all, node.route(k), half, node.options)
    const γ = node.rate(k) //                                                the rate of the last of the τ steps, if it changes between them
    const slow = linear([β, u], [1 / γ, outer], [-1 / γ, mean]) //           u ← β u + (x_{t,0} − x_{t,τ}) / γ
    const next = linear([1, outer], [-α * γ, slow]) //                       x_{t+1,0} = x_{t,0} − α γ u
    node.withStatistics(next, mean)
    return { x: next, outer: next, u: slow }
  }
})
