/**
 * All-reduce by recursive halving and doubling (Rabenseifner: Optimization of collective reduction operations, ICCS 2004;
 * Thakur, Rabenseifner & Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005).
 *
 * Halving: with a partner at distance p/2, p/4, … 1, each gives the half that the other keeps and adds what it gets to its
 * own half; in the end each has the sum of 1/p of the vector. Doubling: the same way back, each gives all that it has.
 * 2 log₂ p latencies and 2 (p − 1)/p of the vector on every line.
 *
 * p is n where that is a power of two. Otherwise it is the largest one below; each rank from p on gives its vector to the rank
 * p below it first, and gets the result from that in the end: 2 (a + S/B) more. No pieces: a step needs all of the step before.
 *
 * Sums are rounded to float32 at every step, in the order of the tree.
 */
import type { PeerName } from '@murmuration/core'
import { axpy, scale } from '@murmuration/vectors'
import { type Stretch, segmentsOf, viewOf } from '../stretches.js'
import type { AllReduce } from './group.js'

const foldKind = 1
const halvingKind = 2
const doublingKind = 3
const resultKind = 4

/** A step with a partner: the half that one keeps, and the half that one gives away. */
interface Step {
  readonly partner: PeerName
  readonly kept: Stretch
  readonly given: Stretch
}

/** The mean by recursive halving and doubling. */
export const halvingDoublingAllReduce: AllReduce = async (group, own, out, { round, stretch }) => {
  const { names, rank, mail } = group
  const p = 2 ** Math.floor(Math.log2(names.length))
  const send = (to: PeerName, kind: number, { offset }: Stretch, vector: Float32Array) => {
    mail.send(to, { kind, round, offset, vector })
  }
  if (rank >= p) {
    send(names[rank - p], foldKind, stretch, viewOf(own, stretch))
    return mail.receiveInto(out, names[rank - p], { kind: resultKind, round, stretch }, 2 * mail.patience)
  }

  const folded = rank + p < names.length ? names[rank + p] : undefined
  const steps = stepsOf(names, rank, p, stretch)
  let range = stretch
  let sum = viewOf(own, stretch)
  if (folded !== undefined) sum = axpy((await mail.receive(folded, { kind: foldKind, round, stretch })).vector, 1, sum)
  for (const { partner, kept, given } of steps) {
    const ofSum = ({ offset, length }: Stretch) => viewOf(sum, { offset: offset - range.offset, length })
    send(partner, halvingKind, given, ofSum(given))
    const theirs = await mail.receive(partner, { kind: halvingKind, round, stretch: kept })
    sum = axpy(theirs.vector, 1, ofSum(kept))
    range = kept
  }
  out.set(sum, range.offset)
  scale(viewOf(out, range), 1 / names.length)
  for (const { partner, kept, given } of steps.reverse()) {
    send(partner, doublingKind, kept, viewOf(out, kept))
    await mail.receiveInto(out, partner, { kind: doublingKind, round, stretch: given })
  }
  if (folded !== undefined) send(folded, resultKind, stretch, viewOf(out, stretch))
}

/** The steps of halving, from the farthest partner to the nearest. */
function stepsOf(names: readonly PeerName[], rank: number, p: number, stretch: Stretch): Step[] {
  const steps: Step[] = []
  let range = stretch
  for (let distance = p / 2; distance >= 1; distance /= 2) {
    const [low, high] = segmentsOf(range, 2)
    const [kept, given] = (rank & distance) === 0 ? [low, high] : [high, low]
    steps.push({ partner: names[rank ^ distance], kept, given })
    range = kept
  }
  return steps
}
