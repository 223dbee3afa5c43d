/**
 * Direct all-reduce in few bits: segments are sent to their owners, and the means back, as whole multiples of a unit
 * per segment. In both phases together every line carries 2 (n − 1)/n · bits per number, where an all-gather carries (n
 * − 1) · bits.
 */
import { concat, mean, type Range, rangeOf, rangesByRank, type Route, valueOf, type Vector } from '@murmuration/engine'
import { type CollectiveChannel, Ranks } from './ranks.js'

/**
 * The mean, the same at all peers, and the local rounding errors: those of the sent segments, and n times those of the
 * mean of the local segment.
 */
export interface QuantisedMean {
  readonly mean: Vector
  readonly left: Vector
}

/** The mean of all peers' `x` in `bits` bits. Needs reliable delivery, and a channel of packed ranges. */
export async function quantisedMean(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  bits: number
): Promise<QuantisedMean> {
  const ranks = new Ranks(channel, route)
  const { count: n, own } = ranks
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
