/**
 * PowerSGD, Algorithms 1 and 2: of each gradient matrix an approximation of rank r is sent. It is computed by one step
 * of power iteration, which starts from the previous round's factor Q. The approximation error e is added to the next
 * gradient. M = g + e; P̂: orthonormal columns. Tensors that are vectors are sent whole. The steps are those of the
 * run's optimiser, whose momentum is applied after the mean, as in Algorithm 2.
 */
import * as z from 'zod'
import { meanOptions, wholeMean } from '../parts/collectives/mean-over.js'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { collectiveOptions } from '../parts/collectives/options.js'
import { LowRank } from '../parts/low-rank.js'
import { algorithm, linear, type Vector } from '@murmuration/engine'

export const powerSgd = algorithm({
  name: 'power-sgd',
  title: 'PowerSGD',
  source: 'Vogels et al., NeurIPS 2019, arXiv 1905.13727',
  options: z.strictObject({
    rank: z.int().min(1).max(64).default(2).meta({ description: 'r, the rank of the approximation of a matrix' }),
    ...collectiveOptions,
    chunks: meanOptions.chunks
  }),
  fromGraph: collectiveOn,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'equality',
  channels: { lefts: { part: 'factors' }, rights: { part: 'factors' } },
  start: ({ x, zero }, { tensors, options: { rank } }) => ({ x, e: zero, Q: new LowRank(tensors, rank).first(x) }),
  async round(node, { x, e, Q }, k) {
    const factors = new LowRank(node.tensors, node.options.rank)
    const route = node.route(k)
    const mean = (channel: typeof node.lefts, v: Vector) => wholeMean(channel, route, v, node.options)
    const M = linear([1, await node.gradient(x)], [1, e]) //                     M_i = g_i + e_i
    const P = factors.orthonormal(await mean(node.lefts, factors.left(M, Q)), 'left') // P̂ = orthonormal columns of mean(M_i Q)
    const own = factors.right(M, P) //                                           Q_i = M_iᵀ P̂
    const all = await mean(node.rights, own) //                                  Q = mean(Q_i)
    const next = node.step(x, factors.product(P, all, x.length)) //              x ← x − γ P̂ Qᵀ
    return { x: next, e: factors.rest(M, P, own), Q: factors.revived(all) } //   e_i = M_i − P̂ Q_iᵀ
  }
})
