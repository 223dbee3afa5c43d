/**
 * Overlap merge: local SGD whose exchange runs during the next H steps. y: a peer's parameters at the beginning of
 * these steps, which it sends. At their end it adds the change that mixing would have made to y, and keeps its local
 * progress. LOSCAR-SGD does so with the mean over all peers, on some of the numbers; this is its rule on a graph. The
 * rule is from a catalogue that cites the paper; of the paper itself the abstract was read. With symmetric W the mean
 * moves by the steps alone.
 */
import * as z from 'zod'
import { addFlow, algorithm, linear, mix } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const overlapMerge = algorithm({
  name: 'overlap-merge',
  title: 'Overlap merge',
  source: 'LOSCAR-SGD, 2026, arXiv 2605.20866, with neighbours in place of all (only the abstract was read)',
  options: z.strictObject({
    period: z.int().min(1).default(10).meta({ description: 'H, steps while an exchange is under way' })
  }),
  needs: { weights: 'rows' },
  keeps: 'mean',
  every: ({ period }) => period,
  channels: { model: { x: 'vector' } },
  edges: { model: addFlow },
  start: ({ x }) => ({ x, y: x, since: -1 }),
  async round(node, { x, y: before, since: last }, k) {
    const first = k - (k % node.options.period)
    const W = node.mixing(first)
    const [y, since] = k === first ? [x, k] : [before, last]
    // A peer that began in the middle of a period takes part from the next one.
    if (since === first) node.model.send(W, { x: y }) //               in flight until the period ends
    const next = node.step(x, await node.gradient(x))
    if (since !== first || !endsPeriod(node, k)) return { x: next, y, since }
    const mixed = mix(W, { x: y }, await node.model.collect(W))
    return { x: linear([1, next], [1, mixed.x], [-1, y]), y, since } // x_i ← x_i + Σ_j W_ij (y_j − y_i)
  }
})
