/**
 * GASLoC: DiLoCo on a graph. After H inner steps from θ, neighbours exchange the look-ahead point y, and each peer
 * takes Nesterov's step itself. The mean over the peers follows DiLoCo's recursion, and the differences between peers
 * shrink as in accelerated gossip. The rule is from a catalogue that cites the paper; of the paper itself the abstract
 * was read. α is 1, as weights that sum to 1 allow. y begins at the parameters that all peers start with, as in
 * DiLoCo's optimiser.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const gasLoC = algorithm({
  name: 'gasloc',
  title: 'GASLoC',
  source: 'Cagnasso et al. 2026, arXiv 2606.11081 (only the abstract was read)',
  options: z.strictObject({
    period: z.int().min(1).default(50).meta({ description: 'H, inner steps between two outer ones' }),
    outerRate: z.number().positive().default(0.7).meta({ description: 'η of the outer steps' }),
    momentum: z
      .number()
      .min(0)
      .lt(1)
      .default(0.3)
      .meta({ description: 'γ of the outer steps; more than (1 − √(1 − λ₂))² slows agreement' })
  }),
  needs: { weights: 'symmetric' },
  keeps: 'nothing',
  every: ({ period }) => period,
  channels: { ahead: { y: 'vector' } },
  edges: { ahead: 'dropped' },
  start: ({ x }) => ({ x, θ: x, y: x }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, y: before }, k) {
    const { outerRate: η, momentum: γ } = node.options
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ, y: before }
    const W = node.mixing(k)
    const y = node.withStatistics(linear([1 - η, θ], [η, inner]), inner) // y = θ + η (x − θ)
    node.ahead.send(W, { y })
    const mixed = mix(W, { y }, await node.ahead.collect(W))
    const next = linear([1, mixed.y], [γ, y], [-γ, before]) //      θ ← Σ_j W_ij y_j + γ (y − y before)
    node.withStatistics(next, mixed.y)
    return { x: next, θ: next, y }
  }
})
