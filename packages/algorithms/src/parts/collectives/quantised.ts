/**
 * All-reduce in few bits, as whole multiples of a unit per range.
 *
 * Directly: segments are sent to their owners, and the means back. In both phases together every line carries 2 (n −
 * 1)/n · bits per number, where an all-gather carries (n − 1) · bits. Along trees: partial sums are rounded at every
 * peer that they pass, and the mean at the root.
 *
 * Either way Σ x_i − n · mean is the sum of what the peers have left over.
 */
import {
  concat,
  linear,
  mean,
  type Range,
  rangeOf,
  rangesByRank,
  type Route,
  valueOf,
  type Vector
} from '@murmuration/engine'
import { type CollectiveChoice, chosen, type QuantisedName, usualChunks } from './options.js'
import { type CollectiveChannel, Ranks } from './ranks.js'
import { checkTrees, chunksOfTrees, type TreeChunk, treeMean } from './trees.js'

/**
 * The mean, the same at all peers, and the local rounding errors: those of what was sent, and n times those of the
 * means that were computed here.
 */
export interface QuantisedMean {
  readonly mean: Vector
  readonly left: Vector
}

/** How a mean in few bits is taken. */
export interface QuantisedSettings {
  /** 2 to 8, the sign included. */
  readonly bits: number
  /** `direct` or `trees`, or what `auto` stands for. */
  readonly collective: CollectiveChoice<QuantisedName>
}

/**
 * The mean of all peers' `x` in few bits. Needs reliable delivery, and a channel of packed ranges. Throws an InputError
 * where the trees are not those of these peers.
 */
export function quantisedMean(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { bits, collective }: QuantisedSettings
): Promise<QuantisedMean> {
  const ranks = new Ranks(channel, route)
  const { name, trees, chunks: fewer } = chosen<QuantisedName>(collective, () => [(x.length * bits) / 8], 'direct')
  if (name !== 'trees' || ranks.count === 1 || x.length === 0) return directly(ranks, x, bits)
  checkTrees(trees, ranks)
  const chunks = chunksOfTrees([{ offset: 0, length: x.length }], trees, fewer ?? usualChunks * ranks.count)
  return alongTrees(ranks, x, { chunks, bits })
}

async function alongTrees(
  ranks: Ranks,
  x: Vector,
  { chunks, bits }: { readonly chunks: readonly TreeChunk[]; readonly bits: number }
): Promise<QuantisedMean> {
  const left = new Map<number, Vector>()
  const rounded = (factor: number) => (exact: Vector, range: Range) => {
    const q = quantised(exact, [{ offset: 0, length: range.length }], bits)
    left.set(range.offset, linear([factor, exact], [-factor, q]))
    return q
  }
  const means = await treeMean(ranks, x, chunks, { sum: rounded(1), mean: rounded(ranks.count) })
  const inOrder = means.sort((one, other) => one.offset - other.offset)
  return {
    mean: concat(inOrder.map(({ part }) => part)),
    left: concat(inOrder.map(({ offset }) => left.get(offset) as Vector))
  }
}

async function directly(ranks: Ranks, x: Vector, bits: number): Promise<QuantisedMean> {
  const { count: n, own, route } = ranks
  const ranges: readonly (Range | undefined)[] = rangesByRank([{ offset: 0, length: x.length }], n, 1).map(
    ([range]) => range
  )
  const others = Array.from({ length: n - 1 }, (_, step) => ranks.at(own + 1 + step))
  const q = quantised(x, ranges, bits)
  for (const other of others) {
    const range = ranges[other]
    if (range !== undefined) ranks.send(ranks.to(other), 0, range, rangeOf(q, range))
  }
  const parts: Vector[] = []
  const mine = ranges[own]
  const served = [] as Vector[]
  if (mine !== undefined) {
    const { part: sent } = mean(route, { part: rangeOf(q, mine) }, await ranks.receive(route.from, 0, mine))
    parts[own] = quantised(sent, [{ offset: 0, length: mine.length }], bits)
    if (n > 1) ranks.send(ranks.to(...others), 1 + own, mine, parts[own])
    served.push(sent)
  }
  for (const other of others.sort((left, right) => left - right)) {
    const from = ranks.to(other)
    const range = ranges[other]
    if (range !== undefined) parts[other] = valueOf(await ranks.receive(from, 1 + other, range), from[0]).part
  }
  return {
    mean: concat(parts.filter((part) => part !== undefined)),
    left: leftOf(x, q, n, mine, served[0], parts[own])
  }
}

/** Rounds each range to multiples of its largest magnitude / (2^(bits − 1) − 1). */
function quantised(x: Vector, ranges: readonly (Range | undefined)[], bits: number): Vector {
  return x.arena.compute(x.length, (out, from) => {
    // All at once: a unit depends on all numbers of a range.
    if (from > 0) return
    const { values } = x
    for (const range of ranges) {
      if (range === undefined) continue
      const start = range.offset
      const end = range.offset + range.length
      let largest = 0
      for (let i = start; i < end; i++) largest = Math.max(largest, Math.abs(values[i]))
      const unit = largest / (2 ** (bits - 1) - 1)
      for (let i = start; i < end; i++) out[i] = unit > 0 ? unit * Math.round(values[i] / unit) : 0
    }
  })
}

function leftOf(x: Vector, q: Vector, n: number, mine?: Range, sent?: Vector, part?: Vector): Vector {
  return x.arena.compute(x.length, (out, from, to) => {
    for (let i = from; i < to; i++) out[i] = x.values[i] - q.values[i]
    if (mine === undefined || sent === undefined || part === undefined) return
    const start = Math.max(from, mine.offset)
    const end = Math.min(to, mine.offset + mine.length)
    for (let i = start; i < end; i++) out[i] += n * (sent.values[i - mine.offset] - part.values[i - mine.offset])
  })
}
