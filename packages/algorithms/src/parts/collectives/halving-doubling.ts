/**
 * All-reduce by halving and doubling, for any number of ranks. The all-gather is that of Bruck et al. (Efficient
 * algorithms for all-to-all communications in multiport message-passing systems, IEEE TPDS 8(11), 1997). Before it run
 * its steps backwards, a reduce-scatter of the same cost. For powers of two the cost is that of recursive halving and
 * doubling (Thakur, Rabenseifner & Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1),
 * 2005).
 *
 * The vector is cut into n segments, which lie on a circle. Doubling: at the distances d = 1, 2, 4, … below n each rank
 * r has the means of the segments r, r + 1, … r + d − 1. It sends them, or as many as the receiver lacks, to the rank d
 * before it, and receives as many from the rank d after it. Halving: the same messages backwards, with partial sums; in
 * the end each rank has the sum of its own segment. 2 ⌈log₂ n⌉ latencies and 2 (n − 1)/n of the vector on every line.
 * No chunks: a step needs all of the step before.
 *
 * Sums are rounded to float32 at every step, in the order of the tree.
 */
import { concat, linear, type Range, rangeOf, valueOf, type Vector } from '@murmuration/engine'
import type { Collective, Ranks } from './ranks.js'

/** The mean by halving and doubling. Each rank has one range, or none where there are more ranks than elements. */
export const halvingDoubling: Collective = async (ranks, x, ranges) => {
  const { count: n, own } = ranks
  const segments = new Segments(ranks, x, ranges)
  const steps = stepsOf(n)
  for (const [hop, { distance, count }] of [...steps].reverse().entries()) {
    segments.send(own + distance, hop, ranks.at(own + distance), count)
    await segments.receive(own - distance, hop, own, count, (received, sum) => linear([1, sum], [1, received]))
  }
  segments.scale(own, 1 / n)
  for (const [hop, { distance, count }] of steps.entries()) {
    segments.send(own - distance, steps.length + hop, own, count)
    await segments.receive(own + distance, steps.length + hop, ranks.at(own + distance), count, (received) => received)
  }
  return segments.all()
}

/** A step of doubling: the distance of the partners, and how many segments are sent. */
interface DoublingStep {
  readonly distance: number
  readonly count: number
}

/** The steps of doubling among `n` ranks. The last sends only the segments that are still lacking. */
function stepsOf(n: number): readonly DoublingStep[] {
  const steps: DoublingStep[] = []
  for (let distance = 1; distance < n; distance *= 2) {
    steps.push({ distance, count: Math.min(distance, n - distance) })
  }
  return steps
}

interface Segment extends Range {
  part: Vector
}

/** The segments of x, each with its partial sum. */
class Segments {
  readonly #ranks: Ranks
  readonly #segments: readonly (Segment | undefined)[]

  constructor(ranks: Ranks, x: Vector, ranges: readonly (readonly Range[])[]) {
    this.#ranks = ranks
    this.#segments = ranges.map(([range]) => range && { ...range, part: rangeOf(x, range) })
  }

  send(to: number, hop: number, first: number, count: number): void {
    for (const [turn, run] of this.#arc(first, count)) {
      const vector = run.length === 1 ? run[0].part : concat(run.map(({ part }) => part))
      this.#ranks.send(this.#ranks.to(to), 2 * hop + turn, joined(run), vector)
    }
  }

  async receive(
    from: number,
    hop: number,
    first: number,
    count: number,
    next: (received: Vector, current: Vector) => Vector
  ): Promise<void> {
    const peers = this.#ranks.to(from)
    for (const [turn, run] of this.#arc(first, count)) {
      const { part: vector } = valueOf(await this.#ranks.receive(peers, 2 * hop + turn, joined(run)), peers[0])
      for (const segment of run) {
        const { offset, length } = segment
        segment.part = next(rangeOf(vector, { offset: offset - run[0].offset, length }), segment.part)
      }
    }
  }

  scale(rank: number, factor: number): void {
    const segment = this.#segments[rank]
    if (segment !== undefined) segment.part = linear([factor, segment.part])
  }

  all(): Segment[] {
    return this.#segments.filter((segment) => segment !== undefined)
  }

  /**
   * `count` segments from `first` on around the circle: the part before its end and the part after, without empty
   * segments.
   */
  *#arc(first: number, count: number): Iterable<readonly [number, readonly Segment[]]> {
    const end = first + count
    for (const [turn, [from, to]] of [
      [first, end],
      [0, end - this.#segments.length]
    ].entries()) {
      const run = this.#segments.slice(from, Math.max(from, to)).filter((segment) => segment !== undefined)
      if (run.length > 0) yield [turn, run]
    }
  }
}

/** Adjacent segments as one range. */
function joined(run: readonly Range[]): Range {
  return { offset: run[0].offset, length: run.reduce((sum, { length }) => sum + length, 0) }
}
