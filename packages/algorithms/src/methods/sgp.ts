/** Stochastic gradient push, Algorithm 1. P: column-stochastic matrix; x / w: the de-biased parameters z. */
import * as z from 'zod'
import { algorithm, kept, linear, massField, total } from '@murmuration/engine'

export const sgp = algorithm({
  name: 'sgp',
  title: 'SGP (push-sum)',
  source: 'Assran et al., ICML 2019, arXiv 1811.10792',
  options: z.strictObject({}),
  needs: { weights: 'columns' },
  keeps: 'weighted mean',
  channels: { mass: { x: 'vector', w: massField } },
  edges: { mass: 'added' },
  start: ({ x }) => ({ x, w: 1 }),
  model: ({ x, w }) => linear([1 / w, x]),
  async round(node, { x, w }, k) {
    const P = node.mixing(k)
    const gradient = await node.gradient(linear([1 / w, x])) //             g at z = x / w
    const mine = { x: node.step(x, gradient), w }
    const unsent = node.mass.send(P, (j) => linear([P.column(j), mine])) // p_ji (x, w) to each out-neighbour j
    const own = linear([kept(P, unsent), mine])
    return total(P, own, await node.mass.collect(P)) //                     (x, w) ← Σ_j p_ij (x_j, w_j)
  }
})
