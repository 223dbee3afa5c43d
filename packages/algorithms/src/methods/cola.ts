/**
 * CoLA: a step of dual ascent, then an exchange. On the complete graph it is CoCoA+ (Ma et al., ICML 2015, arXiv
 * 1502.03508). v_k: the model of peer k, here x; a: the dual variables of its samples; γ = 1, σ′ = K. The mean of all
 * v_k is w(a). Of the paper the abstract and the authors' code were read. The code exchanges first: then each v_k has K
 * times its own last step, and is of no use before many rounds. In a new epoch all begin at 0, since the variables of a
 * lost peer are lost and its part of the models is not.
 */
import * as z from 'zod'
import { algorithm, mix } from '@murmuration/engine'

export const cola = algorithm({
  name: 'cola',
  title: 'CoLA',
  source: 'He, Bian, Jaggi, NeurIPS 2018, arXiv 1808.04883 (only the abstract was read)',
  options: z.strictObject({
    passes: z.int().min(1).max(100).default(10).meta({ description: 'How often a step goes through the local data' })
  }),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable', links: 'exact', dual: true },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  start: ({ zero }, node) => ({ x: zero, a: node.dual.zero() }),
  async round(node, { x, a }, k) {
    const W = node.mixing(k)
    const half = await node.dual.step(x, a, node.options.passes) //      a_k ← a_k + Δa_k,  v_k + K Δw_k
    node.model.send(W, { x: half.x })
    const mixed = mix(W, { x: half.x }, await node.model.collect(W))
    return { x: mixed.x, a: half.a } //                                  v_k ← Σ_j W_kj (v_j + K Δw_j)
  }
})
