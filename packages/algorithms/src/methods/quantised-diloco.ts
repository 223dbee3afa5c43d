/**
 * DiLoCo in few bits: H inner steps from θ, then an outer step on the mean of their changes. This is sent in 2 to 8
 * bits both ways. The rounding error e is added to the next change. Published runs send 8 bits (Jaghouar et al. 2024,
 * arXiv 2412.01152) and 4 (Douillard et al. 2025, arXiv 2501.18512); their abstracts were read. Uniform levels with a
 * unit per segment, and e, are not from them. The exchange does not overlap with the next steps, as that of the second
 * does.
 */
import * as z from 'zod'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { quantisedNames, quantisedOptions } from '../parts/collectives/options.js'
import { quantisedMean } from '../parts/collectives/quantised.js'
import { algorithm, linear, optimiserSettings } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const quantisedDiloco = algorithm({
  name: 'quantised-diloco',
  title: 'DiLoCo in few bits',
  source:
    'Douillard et al. 2023, arXiv 2311.08105, with the bits of arXiv 2501.18512 (of this only the abstract was read)',
  options: z.strictObject({
    period: z.int().min(1).default(500).meta({ description: 'Inner steps between two outer ones' }),
    bits: z.int().min(2).max(8).default(4).meta({ description: 'Bits per number sent, including the sign' }),
    ...quantisedOptions,
    outer: optimiserSettings
      .prefault({ name: 'sgd', rate: 0.7, momentum: 0.9, nesterov: true })
      .meta({ description: 'The optimiser of the outer steps' })
  }),
  fromGraph: (topology, links, { collective }) => collectiveOn(topology, links, { collective }, quantisedNames),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x', 'e'],
  channels: { all: { part: 'packed range' } },
  start: ({ x, zero }) => ({ x, θ: x, e: zero }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, e }, k) {
    const { outer } = node.options
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ, e }
    const all = linear([1, θ], [-1, inner], [1, e]) //                       Δ_i = θ − x_i + e_i
    const { mean: Δ, left } = await quantisedMean(node.all, node.route(k), all, node.options)
    const next = node.optimiser('outer', outer).step(θ, Δ) //                θ ← outer step on Δ, the mean in few bits
    return { x: next, θ: next, e: left }
  }
})
