/**
 * All-reduce by halving and doubling, for any number of ranks: the all-gather of Bruck et al. (Efficient algorithms for all-to-all
 * communications in multiport message-passing systems, IEEE TPDS 8(11), 1997), and before it its steps backwards, which is a
 * reduce-scatter of the same cost. For powers of two the cost is that of recursive halving and doubling (Thakur, Rabenseifner &
 * Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005).
 *
 * The vector is cut into n segments, which lie on a circle. Doubling: at the distances 1, 2, 4, … below n each rank r has the
 * means of the segments r, r + 1, … r + distance − 1. It gives them to the rank at that distance before it, and gets as many from the one
 * after it, or as many as it lacks. Halving: the same messages backwards, with sums that are not complete yet; in the end each
 * rank has the sum of its own segment. 2 ⌈log₂ n⌉ latencies and 2 (n − 1)/n of the vector on every line. No pieces: a step
 * needs all of the step before.
 *
 * Sums are rounded to float32 at every step, in the order of the tree.
 */
import type { PeerName } from '@murmuration/core'
import { axpy, scale } from '@murmuration/vectors'
import { type Stretch, segmentsOf, viewOf } from '../stretches.js'
import type { AllReduce } from './group.js'

const halvingKind = 1
const doublingKind = 2

/** The mean by halving and doubling. */
export const halvingDoublingAllReduce: AllReduce = async ({ names, rank, mail }, own, out, { round, stretch }) => {
  const n = names.length
  const rankAt = (distance: number) => names[(rank + distance + n) % n]
  const send = (to: PeerName, kind: number, { offset }: Stretch, vector: Float32Array) => {
    mail.send(to, { kind, round, offset, vector })
  }
  const segments = segmentsOf(stretch, n)
  const sum = viewOf(own, stretch).slice()
  const ofSum = ({ offset, length }: Stretch) => viewOf(sum, { offset: offset - stretch.offset, length })

  for (const { distance, count } of stepsOf(n).reverse()) {
    for (const part of arc(segments, rank + distance, count)) send(rankAt(distance), halvingKind, part, ofSum(part))
    for (const part of arc(segments, rank, count)) {
      const { vector } = await mail.receive(rankAt(-distance), { kind: halvingKind, round, stretch: part })
      axpy(ofSum(part), 1, vector)
    }
  }
  out.set(scale(ofSum(segments[rank]), 1 / n), segments[rank].offset)
  for (const { distance, count } of stepsOf(n)) {
    for (const part of arc(segments, rank, count)) send(rankAt(-distance), doublingKind, part, viewOf(out, part))
    for (const part of arc(segments, rank + distance, count)) {
      await mail.receiveInto(out, rankAt(distance), { kind: doublingKind, round, stretch: part })
    }
  }
}

/** A step of doubling: to whom, and how many segments. */
interface Step {
  readonly distance: number
  readonly count: number
}

/** The steps of doubling among `n` ranks. The last gives what is still lacking. */
function stepsOf(n: number): Step[] {
  const steps: Step[] = []
  for (let distance = 1; distance < n; distance *= 2) {
    steps.push({ distance, count: Math.min(distance, n - distance) })
  }
  return steps
}

/** The elements of `count` segments from `first` on around the circle: up to two stretches, none of them empty. */
function arc(segments: readonly Stretch[], first: number, count: number): Stretch[] {
  const begin = first % segments.length
  const end = begin + count
  return [joined(segments.slice(begin, end)), joined(segments.slice(0, Math.max(0, end - segments.length)))].filter(
    ({ length }) => length > 0
  )
}

/** Neighbouring segments as one stretch. */
function joined(segments: readonly Stretch[]): Stretch {
  return { offset: segments[0]?.offset ?? 0, length: segments.reduce((sum, { length }) => sum + length, 0) }
}
