/**
 * Moniqua, Algorithm 1: neighbours exchange x modulo B_θ in a few bits and reconstruct their difference from that
 * (remainders.ts). In one round x_i ← x_i + γ_c Σ_j W_ij (x̂_j − x̂_i) − γ g(x_i). No copies and no errors are kept, so
 * messages may be lost and the graph may change. Both ends of an edge use the same difference, so the mean is kept, and
 * peers come within about γ_c u of each other. θ bounds how far neighbours may be apart. A larger θ costs precision, u
 * = θ / (2^bits / 2 − 1); with a smaller one remainders would wrap around unnoticed. So each message carries a check
 * (not in the paper): if it does not match, the run ends with a DivergedError. Of the paper the first page was read,
 * and the rule as others cite it. γ_c < 1 is the paper's slack matrix. Its one-bit variant, which needs another
 * rounding, is not built.
 */
import { DivergedError } from '@murmuration/core'
import * as z from 'zod'
import {
  algorithm,
  edgeWeight,
  type Flow,
  linear,
  linearOf,
  type State,
  type Term,
  type Vector
} from '@murmuration/engine'
import { checkField, type RemainderSettings, Remainders } from '../parts/remainders.js'

export const moniqua = algorithm({
  name: 'moniqua',
  title: 'Moniqua',
  source: 'Lu, De Sa, ICML 2020, arXiv 2002.11787 (only the first page was read)',
  options: z.strictObject({
    bits: z.int().min(2).max(8).default(8).meta({ description: 'Bits per number on the wire' }),
    theta: z.number().positive().default(1).meta({ description: 'θ; numbers of neighbours must differ by less' }),
    consensus: z.number().gt(0).max(1).default(1).meta({ description: 'γ_c, how far a round moves; less for few bits' })
  }),
  needs: { weights: 'symmetric' },
  keeps: 'mean',
  channels: { remainders: { q: 'packed', check: checkField } },
  edges: { remainders: addLate },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const draws = new Remainders(k, x.length, node.options)
    const gradient = node.gradient(x)
    const mine = draws.of(x)
    node.remainders.send(W, mine)
    const theirs = await node.remainders.collect(W)
    const moves = W.from.flatMap((j): Term<Vector>[] => {
      const its = theirs[j]
      if (its === undefined) return []
      return [moveOf(draws, node.options, { from: j, round: k, weight: edgeWeight(W, j, theirs), mine, theirs: its })]
    })
    return { x: node.step(linearOf([[1, x], ...moves]), await gradient) }
  }
})

type MoniquaSettings = RemainderSettings & { readonly consensus: number }
type Sent = { readonly q: Vector; readonly check: number }

/** `W_ij (x̂_j − x̂_i)`, as a term. */
function moveOf(draws: Remainders, { theta, consensus: γ }: MoniquaSettings, flow: Flow<Sent>): Term<Vector> {
  const difference = draws.between(flow.mine.q, flow.theirs.q, flow.theirs.check - flow.mine.check)
  if (difference !== undefined) return [γ * flow.weight * draws.step, difference]
  const found = `in round ${flow.round} a number of ${flow.from} was ${theta} or more from this peer's`
  throw new DivergedError(`${found}, so remainders do not determine it; raise theta, or lower the rate`)
}

function addLate<S extends State>(state: S, flow: Flow<Sent>, options: MoniquaSettings): S {
  const x = state.x as Vector
  return { ...state, x: linear([1, x], moveOf(new Remainders(flow.round, x.length, options), options, flow)) }
}
