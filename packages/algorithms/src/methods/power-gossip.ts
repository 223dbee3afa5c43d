/**
 * PowerGossip: for the difference D_ij of two neighbours' matrices, an approximation of rank r by one step of power
 * iteration per round. It continues from the previous round on the same edge. In even rounds both ends send X V̂, in
 * odd ones Xᵀ V̂, where V̂ is D V̂ of the previous round with orthonormal columns. Tensors that are vectors are mixed
 * whole, in even rounds. It has no consensus step size.
 */
import { byName, type PeerName } from '@murmuration/core'
import * as z from 'zod'
import { LowRank } from '../parts/low-rank.js'
import { algorithm, linear, type PerPeer, perPeer, valueOf, type Vector } from '@murmuration/engine'

export const powerGossip = algorithm({
  name: 'power-gossip',
  title: 'PowerGossip',
  source: 'Vogels et al., NeurIPS 2020, arXiv 2008.01425',
  options: z.strictObject({
    rank: z.int().min(1).max(64).default(2).meta({ description: 'r, the rank of the approximation of a difference' })
  }),
  needs: { weights: 'symmetric', graph: 'fixed', delivery: 'reliable', links: 'exact' },
  keeps: 'mean',
  channels: { factors: { part: 'factors' } },
  start: ({ x }): { x: Vector; V: PerPeer<Vector> } => ({ x, V: perPeer() }),
  async round(node, { x, V }, k) {
    const W = node.mixing(k)
    const factors = new LowRank(node.tensors, node.options.rank)
    const isEven = k % 2 === 0
    let next = node.step(x, await node.gradient(x)) //                                          x_i − γ g_i
    const length = isEven ? factors.leftLength : factors.rightLength
    if (length === 0) return { x: next, V: perPeer<Vector>() }
    const before = (j: PeerName) => V[j] ?? factors.first(x)
    const known = ofEach(W.to, (j) => factors.orthonormal(before(j), isEven ? 'right' : 'left')) // V̂_ij
    // X_i V̂_ij
    const own = ofEach(W.to, (j) => (isEven ? factors.left(next, known(j)) : factors.right(next, known(j))))
    const route = { peer: node.self, round: k, to: W.to, from: W.from, range: { offset: 0, length } }
    node.factors.send(route, (j) => ({ part: own(j) }))
    const theirs = await node.factors.collect(route)
    // D V̂_ij, D = X_i − X_j where i < j
    const D = ofEach(W.to, (j) => difference(byName(node.self, j), own(j), valueOf(theirs, j).part))
    for (const j of W.to) {
      const a = Math.sign(byName(node.self, j)) * W.row(j)
      next = isEven // X_i ← X_i − W_ij (X_i − X_j) V̂ V̂ᵀ
        ? linear([1, next], [a, factors.product(D(j), known(j), x.length)])
        : factors.added(next, a, known(j), D(j))
    }
    return { x: next, V: perNeighbour(W.to, (j) => (isEven ? D(j) : factors.revived(D(j)))) }
  }
})

/** Computes a vector for each of these now. */
function ofEach(all: readonly PeerName[], of: (j: PeerName) => Vector): (j: PeerName) => Vector {
  const found = perNeighbour(all, of)
  return (j) => valueOf(found, j)
}

function perNeighbour(all: readonly PeerName[], of: (j: PeerName) => Vector): PerPeer<Vector> {
  const found = perPeer<Vector>()
  for (const j of all) found[j] = of(j)
  return found
}

/** The X of the peer whose name is first minus that of the other, so both ends compute the same bits. */
function difference(order: number, own: Vector, theirs: Vector): Vector {
  return order < 0 ? linear([1, own], [-1, theirs]) : linear([1, theirs], [-1, own])
}
