import type { Random } from '@murmuration/core'
import * as z from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import type { SparseMatrix } from '../sparse.js'
import { rowsWithRemainder } from '../weights.js'
import { drawRounds, rounds, seed } from './draw.js'
import { directed, shiftsMatrix } from './equi-static.js'

/**
 * OD-EquiDyn and OU-EquiDyn of EquiTopo (Song et al., NeurIPS 2022, Algorithms 3 and 4), over all distances (M = n −
 * 1): each round draws one u evenly from 1 … n − 1, and `W = (1 − η) I + η A(u)`. Undirected: from a random node on,
 * the edges (i, i + u) are taken one after the other where both ends are free. Directed: in expectation, each round
 * shrinks `‖x − mean‖²` at least to `1 − 2 η (1 − η)` of itself.
 */
export const equiDynamic = graphKind({
  kind: 'equi-dynamic',
  description: 'has one neighbour per round, at a random distance that is the same for all',
  options: {
    eta: z.number().gt(0).max(1).default(0.5).meta({ description: 'the weight η of a round' }),
    directed,
    rounds,
    seed
  },
  example: () => ({ eta: 0.5, directed: false, rounds: 64, seed: 1 }),
  weights: {
    isGiven: () => true,
    matrices: ({ eta, directed, ...options }, { length }) =>
      drawRounds('equi-dynamic', options, (random) => {
        if (length === 1) return shiftsMatrix(1, [], 0)
        const shift = 1 + random.integer(length - 1)
        const weight = (eta * (length - 1)) / length
        return directed ? shiftsMatrix(length, [shift], weight) : pairsMatrix(length, shift, weight, random)
      })
  }
})

/** Pairs of nodes at a distance, as many as possible, starting from a random node. */
function pairsMatrix(size: number, shift: number, weight: number, random: Random): SparseMatrix {
  const first = random.integer(size)
  const isTaken = new Uint8Array(size)
  const pairs: [number, number][] = []
  for (let k = 0; k < size; k++) {
    const a = (first + k) % size
    const b = (a + shift) % size
    if (isTaken[a] + isTaken[b] > 0) continue
    isTaken[a] = isTaken[b] = 1
    pairs.push([a, b])
  }
  return rowsWithRemainder(graphOfEdges(size, pairs), () => weight)
}
