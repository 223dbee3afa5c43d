/**
 * SGD on the joint batch: every worker takes the same step along the mean of all gradients. An all-reduce computes it.
 * Per tensor, each part of a gradient is summed while the rest is computed, where it has parts.
 */
import { collectiveOn } from '../parts/collectives/on-links.js'
import { meanOfGradient, meanOptions } from '../parts/collectives/mean-over.js'
import * as z from 'zod'
import { algorithm } from '@murmuration/engine'

export const allReduce = algorithm({
  name: 'all-reduce',
  title: 'SGD on an all-reduce',
  source: 'Patarasuk and Yuan, JPDC 69(2), 2009; the baseline of Lian et al., NIPS 2017',
  options: z.strictObject(meanOptions),
  fromGraph: collectiveOn,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'equality',
  channels: { all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const g = await meanOfGradient(node.all, node.route(k), node.gradient(x), node)
    return { x: node.step(x, g) } // x ← x − γ · mean of g(x; ξ_i)
  }
})
