// Two methods without a barrier, for the map alone: on real links nothing bounds yet how much a peer that runs ahead sends to one that is behind, so they are not
// among the algorithms. Both take what has come, and wait for nobody.
import { algorithm, linear, messageOf, perPeer } from '@murmuration/algorithms'
import { z } from 'zod'
import { chocoOptions } from '../../../algorithms/dist/choco.js'
import { compress } from '../../../algorithms/dist/compressors.js'
import { copiesOf, mixCopies } from '../../../algorithms/dist/copies.js'
import { sparseLoCoOptions } from '../../../algorithms/dist/sparseloco.js'

/**
 * CHOCO-SGD (Algorithm 2) without its barrier, with H steps between two exchanges: nobody waits for anybody. A peer mixes with the copies x̂_j that it
 * has; what neighbours send is added to them as it comes, in order, so that they are those that the sender had a while ago. In no paper: AD-PSGD (Lian et al.,
 * ICML 2018) has no barrier, and averages in pairs; SQuARM-SGD (Singh et al., arXiv 2005.07041) has the local steps.
 */
export const asyncChoco = algorithm({
  name: 'async-choco',
  title: 'CHOCO-SGD without a barrier',
  source: 'the rule of Koloskova, Stich, Jaggi, ICML 2019, arXiv 1902.00340; without a barrier it is ours',
  options: z.strictObject(chocoOptions),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { changes: { q: 'packed' } },
  start: ({ x }) => ({ x, copies: copiesOf(x) }),
  async round(node, { x, copies }, k) {
    const { compressor, consensus: γ, period } = node.options
    const W = node.mixing(k)
    const half = node.step(x, await node.gradient(x))
    const of = perPeer()
    for (const j of W.from) of[j] = messageOf(copies.of, j) ?? copies.own
    for (let come = await node.changes.arrived(); come; come = await node.changes.arrived()) {
      if (messageOf(of, come.from) === undefined) node.changes.reject(come, 'it is no neighbour')
      else of[come.from] = linear([1, of[come.from]], [1, come.message.q]) //   x̂_j ← x̂_j + q_j, as it comes
    }
    if ((k + 1) % period !== 0) return { x: half, copies: { own: copies.own, of } }
    const q = compress(compressor, linear([1, half], [-1, copies.own]), node, 'compress', k)
    node.changes.send(W, { q })
    const next = { own: linear([1, copies.own], [1, q]), of }
    return { x: linear([1, half], [γ, mixCopies(W, next, W.own - 1)]), copies: next }
  }
})

/**
 * SparseLoCo without a barrier: an outer step takes one's own q and what has come of others; each counts for 1 / n whenever it comes, so that those who have
 * seen the same have the same θ, up to rounding. In no paper: that additive updates may come late is ours.
 */
export const asyncSparseLoCo = algorithm({
  name: 'async-sparseloco',
  title: 'SparseLoCo without a barrier',
  source: 'the rule of Sarfi et al. 2025, arXiv 2508.15706; without a barrier it is ours',
  options: z.strictObject(sparseLoCoOptions),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { all: { q: 'packed' } },
  start: ({ x, zero }) => ({ x, θ: x, e: zero, late: zero, zero }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, e, late, zero }, k) {
    const { period, compressor, memory: β, outerRate: α } = node.options
    const inner = node.step(x, await node.gradient(x))
    const terms = [[1, late]]
    for (let come = await node.all.arrived(); come; come = await node.all.arrived()) terms.push([1, come.message.q])
    const sum = linear(...terms)
    if ((k + 1) % period !== 0) return { x: inner, θ, e, late: sum, zero }
    const route = node.route(k)
    const all = linear([β, e], [1, θ], [-1, inner])
    const q = compress(compressor, all, node, 'compress', k)
    node.all.send(route, { q })
    const part = -α / (1 + route.from.length)
    const next = linear([1, θ], [part, q], [part, sum])
    return { x: next, θ: next, e: linear([1, all], [-1, q]), late: zero, zero }
  }
})
