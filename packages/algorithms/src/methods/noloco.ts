/**
 * NoLoCo: DiLoCo without a mean over all. After H inner steps from θ, neighbours exchange θ and their changes. The
 * momentum δ takes in the mean change, and the difference between the mean θ and the peer's own, as in the authors'
 * code. The paper's random pairs are the graph random-matching.
 */
import * as z from 'zod'
import { algorithm, linear, mix } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const noLoCo = algorithm({
  name: 'noloco',
  title: 'NoLoCo',
  source: 'Kolehmainen et al. 2025, arXiv 2506.10911',
  options: z.strictObject({
    period: z.int().min(1).default(50).meta({ description: 'H, inner steps between two outer ones' }),
    momentum: z.number().min(0).lt(1).default(0.5).meta({ description: 'α of the outer steps' }),
    outerRate: z
      .number()
      .positive()
      .default(0.7)
      .meta({ description: 'β of the outer steps, and how fast neighbours agree' })
  }),
  needs: { weights: 'both', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { pair: { Δ: 'vector', θ: 'vector' } },
  start: ({ x, zero }) => ({ x, θ: x, δ: zero }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, δ }, k) {
    const { momentum: α, outerRate: β } = node.options
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ, δ }
    const W = node.mixing(k)
    const mine = { Δ: linear([1, inner], [-1, θ]), θ }
    node.pair.send(W, mine)
    const mean = mix(W, mine, await node.pair.collect(W)) //              of a pair, or of all neighbours by their weights
    const step = linear([α, δ], [β, mean.Δ], [β, mean.θ], [-β, θ]) //     δ ← α δ + β mean Δ + β (mean θ − θ_i)
    const next = linear([1, θ], [1, step])
    node.withStatistics(next, linear([1, mean.θ], [1, mean.Δ]))
    return { x: next, θ: next, δ: step }
  }
})
