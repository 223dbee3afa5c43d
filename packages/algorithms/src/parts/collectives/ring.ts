/**
 * Ring all-reduce: reduce-scatter, then all-gather; each rank sends to the next only (Patarasuk & Yuan, JPDC 69(2),
 * 2009). The vector is cut into n segments. Segment s starts at rank s and goes round the ring; each rank adds its own
 * values, and the last has the sum. From there the mean goes round once more. Every line carries 2 (n − 1)/n of the
 * vector.
 *
 * Beyond the paper: a segment travels in chunks, and each chunk is forwarded as soon as it has arrived: 2 (n − 1)/n ·
 * S/B + a + one chunk, as long as a segment takes longer to send than the latency a. Sums are rounded to float32 at
 * every hop.
 */
import { linear, rangeOf, valueOf } from '@murmuration/engine'
import type { Collective, RangeMean } from './ranks.js'

/** The mean by a ring. */
export const ring: Collective = async (ranks, x, ranges) => {
  const { count: n, own: rank } = ranks
  const maxChunks = Math.max(...ranges.map(({ length }) => length))
  const left = ranks.to(rank - 1)
  const right = ranks.to(rank + 1)
  const [from] = left
  const means: RangeMean[] = []
  for (const [chunk, range] of ranges[rank].entries()) ranks.send(right, chunk, range, rangeOf(x, range))
  for (let hop = 1; hop < n; hop++) {
    for (const [chunk, range] of ranges[ranks.at(rank - hop)].entries()) {
      const { part: received } = valueOf(await ranks.receive(left, (hop - 1) * maxChunks + chunk, range), from)
      const sum = linear([1, received], [1, rangeOf(x, range)])
      const part = hop === n - 1 ? linear([1 / n, sum]) : sum
      if (hop === n - 1) means.push({ offset: range.offset, part })
      ranks.send(right, hop * maxChunks + chunk, range, part)
    }
  }
  for (let hop = n; hop < 2 * n - 1; hop++) {
    for (const [chunk, range] of ranges[ranks.at(rank - hop + n)].entries()) {
      const { part } = valueOf(await ranks.receive(left, (hop - 1) * maxChunks + chunk, range), from)
      means.push({ offset: range.offset, part })
      if (hop < 2 * n - 2) ranks.send(right, hop * maxChunks + chunk, range, part)
    }
  }
  return means
}
