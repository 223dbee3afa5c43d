/**
 * CHOCO-SGD, Algorithm 2. Q: the compressor, with contraction ω; x̂: copies; γ_c: the consensus step (γ in the paper,
 * where the rate is η). All copies begin with the parameters that all peers start with, as in the authors' code, not
 * with 0. With a period H there are H steps between two exchanges (SQuARM-SGD without its trigger: Singh et al., arXiv
 * 2005.07041).
 */
import * as z from 'zod'
import { compress, compressorSettings } from '../parts/compressors.js'
import { added, copiesOf, mixCopies } from '../parts/copies.js'
import { algorithm, linear, valueOf } from '@murmuration/engine'
import { atPeriod } from '../parts/schedule.js'

/** Options: how changes are compressed, how far a round moves towards the copies, and how often peers exchange. */
export const chocoOptions = {
  compressor: compressorSettings
    .prefault({ name: 'top-k' })
    .meta({ description: 'How a change is compressed before it is sent' }),
  consensus: z
    .number()
    .gt(0)
    .max(1)
    .default(0.04)
    .meta({ description: 'γ_c, how far a round moves towards the neighbours’ copies; less for stronger compression' }),
  period: z.int().min(1).default(1).meta({ description: 'H, steps between two exchanges' })
}

export const choco = algorithm({
  name: 'choco',
  title: 'CHOCO-SGD',
  source: 'Koloskova et al., ICML 2019, arXiv 1902.00340',
  options: z.strictObject(chocoOptions),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable' },
  keeps: 'mean',
  channels: { changes: { q: 'packed' } },
  start: ({ x }) => ({ x, copies: copiesOf(x) }),
  async round(node, { x, copies }, k) {
    const { compressor, consensus: γ } = node.options
    const half = node.step(x, await node.gradient(x)) //                     x_i^{t+½} = x_i − η g_i
    if (!atPeriod(node, k)) return { x: half, copies }
    const W = node.mixing(k)
    const change = linear([1, half], [-1, copies.own])
    const q = compress(compressor, change, node, 'compress', k) //           q_i = Q(x_i^{t+½} − x̂_i)
    node.changes.send(W, { q })
    const theirs = await node.changes.collect(W)
    const next = added(W, copies, q, (j) => valueOf(theirs, j).q) //        x̂_j ← x̂_j + q_j
    return { x: linear([1, half], [γ, mixCopies(W, next, W.own - 1)]), copies: next } // x_i ← x_i^{t+½} + γ Σ_j W_ij (x̂_j − x̂_i)
  }
})
