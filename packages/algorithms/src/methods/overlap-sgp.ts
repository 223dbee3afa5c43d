/**
 * Overlap SGP, Algorithm 2 with τ = 1: the result of a round is sent when the next round begins. It is in flight while
 * that round's gradient is computed. w travels with x, so mass in flight causes no bias. out: (x, w) of the previous
 * round, of which the neighbours' part is not sent yet.
 */
import * as z from 'zod'
import { algorithm, kept, linear, massField, total } from '@murmuration/engine'

export const overlapSgp = algorithm({
  name: 'overlap-sgp',
  title: 'Overlap SGP',
  source: 'Assran et al., ICML 2019, arXiv 1811.10792',
  options: z.strictObject({}),
  needs: { weights: 'columns', delivery: 'reliable' },
  keeps: 'nothing',
  channels: { mass: { x: 'vector', w: massField } },
  start: ({ x, zero }) => ({ x, w: 1, out: { x: zero, w: 0 } }),
  model: ({ x, w }) => linear([1 / w, x]),
  async round(node, { x, w, out }, k) {
    const P = node.mixing(k)
    const before = node.mixing(Math.max(0, k - 1))
    const unsent = k === 0 ? [] : node.mass.send(before, (j) => linear([before.column(j), out])) //  p_ji (x, w) of the previous round to each out-neighbour j
    const gradient = node.gradient(linear([1 / w, x])) //                     g at z = x / w
    const received = k === 0 ? {} : await node.mass.collect(before)
    const mine = { x: node.step(x, await gradient), w }
    const own = linear([P.own, mine], [kept(before, unsent) - before.own, out])
    const next = total(before, own, received) //                                  (x, w) ← p_ii (x, w) + Σ_j p_ij (x_j, w_j) of the previous round
    if (k + 1 < node.rounds) return { ...next, out: mine }
    const last = node.mass.send(P, (j) => linear([P.column(j), mine])) //     so that nothing is in flight at the end
    const whole = linear([1, next], [kept(P, last) - P.own, mine])
    return { ...total(P, whole, await node.mass.collect(P)), out: mine }
  }
})
