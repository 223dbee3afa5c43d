/**
 * Direct all-reduce: every rank owns a segment. All send it their values at once; it computes the mean and sends that
 * to all. Two latencies for any number of ranks, and 2 (n − 1)/n of the vector on every line, but n (n − 1)
 * connections. The traffic is that of a parameter server with a shard on each worker's machine (Li et al.: Scaling
 * distributed machine learning with the parameter server, OSDI 2014); as a collective it is an all-to-all and an
 * all-gather.
 *
 * Sums run in the order of names, in float64, rounded once.
 */
import { mean, rangeOf, valueOf } from '@murmuration/engine'
import type { Collective, RangeMean } from './ranks.js'

/** The mean by direct exchange. */
export const direct: Collective = async (ranks, x, ranges) => {
  const { count: n, own: rank } = ranks
  const maxChunks = Math.max(...ranges.map(({ length }) => length))
  // Each rank begins with the next one, so that not all send to the same rank first.
  const others = Array.from({ length: n - 1 }, (_, step) => ranks.at(rank + 1 + step))
  const means: RangeMean[] = []

  for (const other of others) {
    for (const [chunk, range] of ranges[other].entries()) ranks.send(ranks.to(other), chunk, range, rangeOf(x, range))
  }
  for (const [chunk, range] of ranges[rank].entries()) {
    const { part } = mean(ranks.route, { part: rangeOf(x, range) }, await ranks.receive(ranks.route.from, chunk, range))
    means.push({ offset: range.offset, part })
    ranks.send(ranks.to(...others), (1 + rank) * maxChunks + chunk, range, part)
  }
  for (const other of others.sort((left, right) => left - right)) {
    const from = ranks.to(other)
    for (const [chunk, range] of ranges[other].entries()) {
      const { part } = valueOf(await ranks.receive(from, (1 + other) * maxChunks + chunk, range), from[0])
      means.push({ offset: range.offset, part })
    }
  }
  return means
}
