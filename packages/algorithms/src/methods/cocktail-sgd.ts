/**
 * CocktailSGD: a peer sends the difference x_i − θ, with θ the same at all peers, through three compressors in sequence
 * (C). They keep a random part, of that the largest numbers, each in a few bits. Every peer is the server of one
 * shard S_i, and sends the shard's mean back, also through C. What is left out stays in x_i, and at the server in e.
 * The rule is from the authors' code (DS3Lab/CocktailSGD, dist_dp_cocktail_sgd.py). Unlike there, a scale belongs to a
 * shard, not to 128 numbers, and the random part is drawn anew in every round.
 */
import { keepLargest } from '@murmuration/vectors'
import * as z from 'zod'
import { drawn, masked, within } from '../parts/masks.js'
import { algorithm, linear, mean, type Range, segmentsOf, total, type Vector } from '@murmuration/engine'

export const cocktailSgd = algorithm({
  name: 'cocktail-sgd',
  title: 'CocktailSGD',
  source: 'Wang et al., ICML 2023, PMLR 202:36058',
  options: z.strictObject({
    random: z.number().gt(0).max(1).default(0.1).meta({ description: 'The fraction of the parameters that is drawn' }),
    largest: z.number().gt(0).max(1).default(0.2).meta({ description: 'The fraction of these sent: the largest' }),
    bits: z.int().min(2).max(8).default(4).meta({ description: 'Bits per number sent, including the sign' })
  }),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  carries: ['x'],
  channels: { up: { q: 'packed' }, down: { q: 'packed' } },
  start: ({ x, zero }) => ({ x, θ: x, e: zero }),
  model: ({ θ }) => θ,
  async round(node, { x, θ, e }, k) {
    const route = node.route(k)
    const peers = node.peers()
    const d = x.length
    const { random, largest, bits } = node.options
    const shards = segmentsOf({ offset: 0, length: d }, peers.length)
    const own = shards[peers.indexOf(node.self)]
    const C = (v: Vector, of: readonly Range[]) => compressed(v, of, random * largest, bits)
    const mask = drawn(node.first + k, d, Math.ceil(random * d))
    const half = node.step(x, await node.gradient(x))
    const q = C(masked(linear([1, half], [-1, θ]), mask), shards) //            q_i = C((x_i − θ)[mask])
    node.up.send(route, (j) => ({ q: within(q, shards[peers.indexOf(j)]) }))
    const sent = mean(route, { q: within(q, own) }, await node.up.collect(route))
    const Q = C(linear([1, sent.q], [1, masked(e, mask)]), [own]) //            Q = C(mean q + e[mask]), of S_i
    node.down.send(route, { q: Q })
    const change = total(route, { q: Q }, await node.down.collect(route)).q
    const left = linear([1, e], [1, sent.q], [-1, Q]) //                        what C left out
    return { x: linear([1, half], [-1, q], [1, change]), θ: linear([1, θ], [1, change]), e: left }
  }
})

/** Keeps the largest numbers of each range, rounded to multiples of the largest / (2^(bits − 1) − 1). */
function compressed(v: Vector, ranges: readonly Range[], fraction: number, bits: number): Vector {
  return v.arena.compute(v.length, (out, from) => {
    if (from > 0) return
    out.fill(0)
    for (const { offset, length } of ranges) {
      const [all, kept] = [v.values, out].map((each) => each.subarray(offset, offset + length))
      keepLargest(all, Math.ceil(fraction * length), kept)
      const unit = kept.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / (2 ** (bits - 1) - 1)
      for (let i = 0; unit > 0 && i < length; i++) kept[i] = unit * Math.round(kept[i] / unit)
    }
  })
}
