/**
 * SparseLoCo: H inner steps from θ; then the largest numbers of an error e, in 2 bits, go to all peers (an all-gather).
 * Each peer adds its change to e, which decays. With `period` and `memory` 1, plain steps and no `bits` it is SGD with
 * top-k and error feedback (Stich, Cordonnier, Jaggi, NeurIPS 2018). Δ = θ − x, as in the paper. The largest, and their
 * levels, are those of each tensor; code that is deployed has them for each chunk of a tensor, and its bins lie half a
 * bin lower.
 */
import * as z from 'zod'
import { compress, compressorSettings } from '../parts/compressors.js'
import { algorithm, linear, mean } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

/** Options: how often peers exchange, how changes are compressed, and how far an outer step goes. */
export const sparseLoCoOptions = {
  period: z.int().min(1).default(30).meta({ description: 'H, inner steps between two outer ones' }),
  compressor: compressorSettings
    .prefault({ name: 'top-k', fraction: 1 / 64, bits: 2 })
    .meta({ description: 'How a change is compressed before it is sent' }),
  memory: z.number().min(0).max(1).default(0.95).meta({ description: 'β, how much of e stays from period to period' }),
  outerRate: z.number().positive().default(1).meta({ description: 'α of the outer steps' })
}

export const sparseLoCo = algorithm({
  name: 'sparseloco',
  title: 'SparseLoCo',
  source: 'Sarfi et al. 2025, arXiv 2508.15706',
  options: z.strictObject(sparseLoCoOptions),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x', 'e'],
  channels: { all: { q: 'packed' } },
  start: ({ x, zero }) => ({ x, θ: x, e: zero }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, e }, k) {
    const { compressor, memory: β, outerRate: α } = node.options
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ, e }
    const route = node.route(k)
    const all = linear([β, e], [1, θ], [-1, inner]) //                  e ← β e + Δ
    const q = compress(compressor, all, node, 'compress', k) //         q = Q(e)
    node.all.send(route, { q })
    const sent = mean(route, { q }, await node.all.collect(route))
    const next = linear([1, θ], [-α, sent.q]) //                        θ ← θ − α/n Σ q
    return { x: next, θ: next, e: linear([1, all], [-1, q]) } //        e ← e − q
  }
})
