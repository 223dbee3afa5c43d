/**
 * QG-DSGDm, Algorithm 1; with Nesterov's form QG-DSGDm-N. m̂: the quasi-global momentum, which tracks how the model
 * moves, gossip included. It replaces the optimiser's own momentum, so the run's optimiser is plain SGD.
 */
import * as z from 'zod'
import { addFlow, algorithm, linear, mix } from '@murmuration/engine'

const part = z.number().min(0).lt(1).default(0.9)

export const qgDsgdm = algorithm({
  name: 'qg-dsgdm',
  title: 'QG-DSGDm',
  source: 'Lin et al., ICML 2021, arXiv 2102.04761',
  options: z.strictObject({
    momentum: part.meta({ description: 'β, how much of m̂ goes into a step' }),
    memory: part.meta({ description: 'μ, how much of m̂ stays from round to round' }),
    nesterov: z.boolean().default(false).meta({ description: "Nesterov's form of the step" })
  }),
  needs: { weights: 'both', links: 'fine' },
  keeps: 'nothing',
  channels: { model: { x: 'vector' } },
  edges: { model: addFlow },
  start: ({ x, zero }) => ({ x, m: zero }),
  async round(node, { x, m }, k) {
    const { momentum: β, memory: μ, nesterov } = node.options
    const W = node.mixing(k)
    const γ = node.rate(k)
    const g = await node.gradient(x)
    const step = nesterov ? linear([1 + β, g], [β * β, m]) : linear([1, g], [β, m]) // β m̂ + g; with Nesterov g + β (β m̂ + g)
    const half = { x: node.step(x, node.withStatistics(step, g)) }
    node.model.send(W, half)
    const next = mix(W, half, await node.model.collect(W)) //                         x_{k+1} = W x_{k+1/2}
    return { x: next.x, m: linear([μ, m], [(1 - μ) / γ, x], [(μ - 1) / γ, next.x]) } // m̂ ← μ m̂ + (1 − μ) (x_k − x_{k+1}) / γ
  }
})
