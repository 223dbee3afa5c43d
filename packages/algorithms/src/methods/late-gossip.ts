/**
 * Late gossip with one merge: most of a budget of bytes is spent at the end of a run. Neighbours exchange only in every
 * H-th round at first, in each of the last rounds, and the last round takes the exact mean over all peers. A few early
 * exchanges are needed: models that have never been averaged cannot be merged. Of the paper the abstract was read, and
 * its schedule in a catalogue that cites the authors' code; early partners are random there, and follow the graph here.
 */
import * as z from 'zod'
import { wholeMean } from '../parts/collectives/mean-over.js'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { collectiveOptions } from '../parts/collectives/options.js'
import { algorithm, mix } from '@murmuration/engine'
import { atPeriod } from '../parts/schedule.js'

export const lateGossip = algorithm({
  name: 'late-gossip',
  title: 'Late gossip, one merge',
  source: 'Zhu et al., ICLR 2026, arXiv 2507.06542 (only the abstract was read)',
  options: z.strictObject({
    period: z.int().min(1).default(20).meta({ description: 'H, rounds between two exchanges at first' }),
    late: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .meta({ description: 'The fraction of rounds at the end with an exchange each' }),
    ...collectiveOptions
  }),
  fromGraph: collectiveOn,
  needs: { weights: 'both', reach: 'everyone', delivery: 'reliable' },
  keeps: 'mean',
  channels: { model: { x: 'vector' }, all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const { late } = node.options
    const half = node.step(x, await node.gradient(x))
    if (k + 1 === node.rounds) return { x: await wholeMean(node.all, node.route(k), half, node.options) }
    const isEarly = node.first + k < (1 - late) * (node.first + node.rounds)
    if (isEarly && !atPeriod(node, k)) return { x: half }
    const W = node.mixing(k)
    node.model.send(W, { x: half })
    return mix(W, { x: half }, await node.model.collect(W)) //    x_i ← Σ_j W_ij (x_j − γ g(x_j))
  }
})
