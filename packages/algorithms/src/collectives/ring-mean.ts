/**
 * The mean over all of a route by ring all-reduce: reduce-scatter, then all-gather, each peer talking to the next alone (Patarasuk & Yuan,
 * JPDC 69(2), 2009). The vector is cut into n segments. Segment s starts at rank s and goes round the ring; each rank adds its own
 * values, and the last has the sum. From there the mean goes round once more. Every line carries 2 (n − 1)/n of the vector.
 *
 * A segment travels in pieces, and a piece goes on as soon as it has come: 2 (n − 1)/n · S/B + a + one piece, as long as a segment takes
 * longer to send than the latency a. Sums are rounded to float32 at every hop. All get the same bits.
 */
import { byName } from '@murmuration/core'
import { concat, linear, type Range, rangeOf, type Vector } from '../node/vector.js'
import type { Channel, Route } from '../record.js'
import { sharesOf } from '../stretches.js'

/** A channel that a collective has for itself. */
export type RangeChannel = Channel<{ readonly part: Vector }>

/** How many pieces a segment travels in. */
const pieces = 16

/** The mean of everybody's `x`. Needs reliable delivery. */
export async function ringMean(channel: RangeChannel, route: Route, x: Vector): Promise<Vector> {
  const ring = [route.peer, ...route.to].sort(byName)
  const [n, rank] = [ring.length, ring.indexOf(route.peer)]
  if (n === 1) return x
  const shares = sharesOf([{ offset: 0, length: x.length }], n, pieces)
  const at = (place: number) => shares[(place + 2 * n) % n]
  const [left, right] = [ring[(rank + n - 1) % n], ring[(rank + 1) % n]]
  const hop = (number: number, piece: number, range: Range): Route => {
    return { peer: route.peer, round: route.round, part: number * pieces + piece, range, to: [right], from: [left] }
  }
  const receive = async (number: number, piece: number, range: Range) => {
    return (await channel.collect(hop(number, piece, range)))[left].part
  }

  const means = new Map<number, Vector>()
  for (const [piece, range] of at(rank).entries()) channel.send(hop(0, piece, range), { part: rangeOf(x, range) })
  for (let number = 1; number < n; number++) {
    for (const [piece, range] of at(rank - number).entries()) {
      const sum = linear([1, await receive(number - 1, piece, range)], [1, rangeOf(x, range)])
      const isLast = number === n - 1
      const part = isLast ? linear([1 / n, sum]) : sum
      if (isLast) means.set(range.offset, part)
      channel.send(hop(number, piece, range), { part })
    }
  }
  for (let number = n; number < 2 * n - 1; number++) {
    for (const [piece, range] of at(rank + n - number + n).entries()) {
      const part = await receive(number - 1, piece, range)
      means.set(range.offset, part)
      if (number < 2 * n - 2) channel.send(hop(number, piece, range), { part })
    }
  }
  return concat([...means].sort(([left], [right]) => left - right).map(([, part]) => part))
}
