/**
 * DiLoCo: H inner steps from θ, fewer at the end, then an outer step on the mean of the workers' changes. x: inner
 * parameters; θ: outer ones.
 */
import * as z from 'zod'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { meanOptions, meanOver } from '../parts/collectives/mean-over.js'
import { algorithm, linear, optimiserSettings } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const diloco = algorithm({
  name: 'diloco',
  title: 'DiLoCo',
  source: 'Douillard et al. 2023, arXiv 2311.08105',
  options: z.strictObject({
    period: z.int().min(1).default(500).meta({ description: 'Inner steps between two outer ones' }),
    outer: optimiserSettings
      .prefault({ name: 'sgd', rate: 0.7, momentum: 0.9, nesterov: true })
      .meta({ description: 'The optimiser of the outer steps' }),
    ...meanOptions
  }),
  fromGraph: collectiveOn,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x'],
  channels: { all: { part: 'range' } },
  start: ({ x }) => ({ x, θ: x }),
  model: ({ θ }) => θ,
  async round(node, { x, θ }, k) {
    const inner = node.step(x, await node.gradient(x))
    if (!endsPeriod(node, k)) return { x: inner, θ }
    const Δ = await meanOver(node.all, node.route(k), linear([1, θ], [-1, inner]), node) //  Δ = mean of θ − x_i
    const next = node.optimiser('outer', node.options.outer).step(θ, Δ) //             θ ← outer step on Δ
    return { x: next, θ: next }
  }
})
