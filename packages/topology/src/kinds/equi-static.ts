import { log, InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import * as z from 'zod'
import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'
import type { SparseMatrix } from '../sparse.js'
import { rowsWithRemainder } from '../weights.js'
import { maxDraws, seed } from './draw.js'

/** The option of EquiTopo's graphs. */
export const directed = z.boolean().default(false).meta({ description: 'whether edges are one-way' })

/**
 * D-EquiStatic and U-EquiStatic of EquiTopo (Song et al., NeurIPS 2022, Algorithms 1 and 2): `W = 1/M Σ_m A(u_m)` with
 * `A(u) = (n − 1)/n P^u + 1/n I`, P the cyclic shift and the u_m drawn evenly from 1 … n − 1; undirected it is
 * `(W + Wᵀ)/2`. With M of the order of ln n its contraction does not depend on n. Draws that leave the nodes
 * unconnected are repeated; the paper does not specify this case.
 */
export const equiStatic = graphKind({
  kind: 'equi-static',
  description: 'has peers at some random distances as neighbours, the same distances for all',
  options: { shifts: z.int().min(1).meta({ description: 'random distances' }), directed, seed },
  example: ({ length }) => ({ shifts: Math.max(1, Math.ceil(2 * log(length))), directed: false, seed: 1 }),
  weights: {
    isGiven: () => true,
    matrices({ shifts, directed, seed }, { length }) {
      const drawn = length === 1 ? [] : drawShifts(length, shifts, seed)
      const both = directed ? drawn : drawn.flatMap((shift) => [shift, length - shift])
      return [shiftsMatrix(length, both, (length - 1) / length / both.length)]
    }
  }
})

/** `W` with `weight` for the node at each of these distances before a node; a repeated distance counts repeatedly. */
export function shiftsMatrix(size: number, shifts: readonly number[], weight: number): SparseMatrix {
  const weights = new Float64Array(size)
  for (const shift of shifts) weights[shift] += weight
  const graph = graphOf(size, (node) => shifts.map((shift) => (node + size - shift) % size))
  return rowsWithRemainder(graph, (node, source) => weights[(node + size - source) % size])
}

/** Distances from 1 to size − 1 that together reach every node: their greatest common divisor with the size is 1. */
function drawShifts(size: number, count: number, seed: number): readonly number[] {
  for (let attempt = 0; attempt < maxDraws; attempt++) {
    const random = createRandom(seed, 'graph', 'equi-static', String(attempt))
    const shifts = Array.from({ length: count }, () => 1 + random.integer(size - 1))
    if (shifts.reduce(divisorOf, size) === 1) return shifts
  }
  throw new InputError(`found no connected graph in ${maxDraws} random graphs of kind equi-static: choose more shifts`)
}

function divisorOf(a: number, b: number): number {
  return b === 0 ? a : divisorOf(b, a % b)
}
