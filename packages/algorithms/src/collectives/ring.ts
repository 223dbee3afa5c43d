/**
 * Ring all-reduce: reduce-scatter, then all-gather, each peer talking to the next alone (Patarasuk & Yuan: Bandwidth optimal
 * all-reduce algorithms for clusters of workstations, JPDC 69(2), 2009).
 *
 * The vector is cut into n segments. Segment s starts at rank s and goes round the ring; each rank adds its own values, and
 * the last, s − 1, has the sum. From there it goes round once more. Every line carries 2 (n − 1)/n of the vector.
 *
 * Beyond the paper: a segment travels in pieces, and a piece goes on as soon as it has come. While a segment takes longer to
 * send than the latency, a, the line never falls idle: 2 (n − 1)/n · S/B + a + one piece, instead of 2 (n − 1) (a + S/(n B)).
 *
 * Sums are rounded to float32 at every hop, in the order of the ring, which begins elsewhere for each segment.
 */
import { axpy, scale } from '@murmuration/vectors'
import { sharesOf, type Stretch, viewOf } from '../stretches.js'
import type { AllReduce, AllReduceOver } from './group.js'

const reduceKind = 1
const gatherKind = 2

/** The mean by a ring. */
export const ringAllReduce: AllReduce = (group, own, out, { round, stretch, pieces }) =>
  ringOver(group, own, out, round, sharesOf([stretch], group.names.length, pieces))

/** The mean by a ring, of many stretches at once: they follow one another around it. */
export const ringOver: AllReduceOver = async ({ names, rank, mail }, own, out, round, shares) => {
  const n = names.length
  if (n === 1) return shares[0].forEach((piece) => out.set(viewOf(own, piece), piece.offset))
  const [left, right] = [names[(rank + n - 1) % n], names[(rank + 1) % n]]
  const send = (kind: number, { offset }: Stretch, vector: Float32Array) => {
    mail.send(right, { kind, round, offset, vector })
  }

  for (const piece of shares[rank]) send(reduceKind, piece, viewOf(own, piece))
  for (let hop = 1; hop < n; hop++) {
    for (const piece of shares[(rank + n - hop) % n]) {
      // What was received belongs to this peer: it adds to it and sends it on, and needs no memory of its own.
      const { vector } = await mail.receive(left, { kind: reduceKind, round, stretch: piece })
      axpy(vector, 1, viewOf(own, piece))
      if (hop === n - 1) out.set(scale(vector, 1 / n), piece.offset)
      send(hop === n - 1 ? gatherKind : reduceKind, piece, vector)
    }
  }
  for (let hop = 1; hop < n; hop++) {
    for (const piece of shares[(rank + n + 1 - hop) % n]) {
      const part = { kind: gatherKind, round, stretch: piece }
      if (hop === n - 1) await mail.receiveInto(out, left, part)
      else {
        const { vector } = await mail.receive(left, part)
        out.set(vector, piece.offset)
        send(gatherKind, piece, vector)
      }
    }
  }
}
