/**
 * Late gossip with one merge: a budget of bytes is spent at the end of a run. Exchanges with neighbours are rare (every H-th round) until the last part of the
 * rounds, then each round has one, and the last one is the exact mean over all. Some exchanges have to come early, since models that have never met cannot be
 * merged. Of the paper the abstract was read, and its schedule in a catalogue that cites the authors' code, where early partners are random: that is the graph here.
 */
import { z } from 'zod'
import { ringMean } from './collectives/mean-over.js'
import { mix } from './mixing.js'
import { algorithm } from './record.js'

export const lateGossip = algorithm({
  name: 'late-gossip',
  title: 'Late gossip, one merge',
  source: 'Zhu, Zhang, Wang, Zhou, Wang, ICLR 2026, arXiv 2507.06542',
  options: z.strictObject({
    period: z.int().min(1).default(20).meta({ description: 'H, rounds between two exchanges before the last part' }),
    late: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .meta({ description: 'The last part of the rounds, in which each has one' })
  }),
  needs: { weights: 'both', reach: 'everyone', delivery: 'reliable' },
  keeps: 'mean',
  channels: { model: { x: 'vector' }, all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const { period, late } = node.options
    const half = node.step(x, await node.gradient(x))
    if (k + 1 === node.rounds) return { x: await ringMean(node.all, node.route(k), half) }
    if (k < (1 - late) * node.rounds && (k + 1) % period !== 0) return { x: half }
    const W = node.mixing(k)
    node.model.send(W, { x: half })
    return mix(W, { x: half }, await node.model.collect(W)) //    x_i ← Σ_j W_ij (x_j − γ g(x_j))
  }
})
