/**
 * Direct all-reduce: every rank owns a segment; all send it theirs at once, it takes the mean and sends that to all. Two
 * latencies, however many ranks there are, and 2 (n − 1)/n of the vector on every line, for n (n − 1) connections. The traffic
 * is that of a parameter server with a shard on each worker's machine (Li et al.: Scaling distributed machine learning with
 * the parameter server, OSDI 2014); as a collective it is an all-to-all and an all-gather.
 *
 * Sums run in the order of names, in float64, rounded once.
 */
import { type Term, weightedSum } from '@murmuration/vectors'
import { sharesOf, type Stretch, viewOf } from '../stretches.js'
import type { AllReduce, AllReduceOver, Group } from './group.js'

const contributionKind = 1
const meanKind = 2

/** The mean by direct exchange. */
export const directAllReduce: AllReduce = (group, own, out, { round, stretch, pieces }) =>
  directOver(group, own, out, round, sharesOf([stretch], group.names.length, pieces))

/** The mean by direct exchange, of many stretches at once: still two latencies. */
export const directOver: AllReduceOver = async (group, own, out, round, shares) => {
  const { names, rank, mail } = group
  const n = names.length
  // Everybody begins with the next, so that not all send to the same one first.
  const others = Array.from({ length: n - 1 }, (_, step) => (rank + 1 + step) % n)

  for (const other of others) {
    for (const piece of shares[other]) {
      mail.send(names[other], { kind: contributionKind, round, offset: piece.offset, vector: viewOf(own, piece) })
    }
  }
  for (const piece of shares[rank]) {
    const mean = weightedSum(new Float32Array(piece.length), await contributions(group, round, piece, own))
    out.set(mean, piece.offset)
    const message = { kind: meanKind, round, offset: piece.offset, vector: mean }
    for (const other of others) mail.send(names[other], message)
  }
  for (const other of others) {
    for (const stretch of shares[other]) await mail.receiveInto(out, names[other], { kind: meanKind, round, stretch })
  }
}

/** Everybody's values of a piece, one's own included, in the order of names, each with the weight 1/n. */
async function contributions(
  { names, rank, mail }: Group,
  round: number,
  piece: Stretch,
  own: Float32Array
): Promise<Term[]> {
  const part = { kind: contributionKind, round, stretch: piece }
  const terms: Term[] = []
  for (const [place, name] of names.entries()) {
    const vector = place === rank ? viewOf(own, piece) : (await mail.receive(name, part)).vector
    terms.push({ weight: 1 / names.length, vector })
  }
  return terms
}
