import * as z from 'zod'
import type { Graph } from './graphs.js'
import { type MatrixEntry, type SparseMatrix, sparseMatrix } from './sparse.js'

/** How mixing weights are found. */
export const weightsSchema = z.enum(['metropolis', 'uniform', 'best-constant', 'fastest', 'given']).meta({
  description:
    'metropolis: 1 / (1 + the larger degree), the rest to the peer itself. uniform: the same for each neighbour and the peer itself. best-constant: the same on every edge, for which averaging is fastest. fastest: one for each edge, for at most 64 peers. given: as the edges or the matrix say.'
})

/** A rule, or 'given' by the graph's edges or matrix. */
export type WeightRule = z.output<typeof weightsSchema>

/**
 * Metropolis and Hastings: `W_ij = 1 / (1 + max(d_i, d_j))` for neighbours, `W_ii` the rest up to 1. Doubly stochastic
 * on every undirected graph (Xiao, Boyd and Lall 2005).
 */
export function metropolis(graph: Graph): SparseMatrix {
  return rowsWithRemainder(graph, (node, source) => 1 / (1 + Math.max(graph[node].length, graph[source].length)))
}

/**
 * `W_ij = 1 / (1 + d_i)` for i itself and those that it receives from. Doubly stochastic only where all degrees are
 * equal.
 */
export function uniform(graph: Graph): SparseMatrix {
  return sparseMatrix(
    graph.map((sources, node) => [...sources, node].map((column) => ({ column, value: 1 / (1 + sources.length) })))
  )
}

/** The weights that `weightOf` gives to a node's sources, and the rest up to 1 for the node itself. */
export function rowsWithRemainder(graph: Graph, weightOf: (node: number, source: number) => number): SparseMatrix {
  return sparseMatrix(
    graph.map((sources, node) => {
      const entries: MatrixEntry[] = sources.map((column) => ({ column, value: weightOf(node, column) }))
      const othersWeight = entries.reduce((sum, { value }) => sum + value, 0)
      return [...entries, { column: node, value: withoutRounding(1 - othersWeight) }]
    })
  )
}

/** A remainder of some roundings counts as 0: where the neighbours have all the weight, a peer keeps exactly none. */
function withoutRounding(remainder: number): number {
  return Math.abs(remainder) < 1e-12 ? 0 : remainder
}

/** Sums of weights may differ from 1 by this much, as decimals such as 0.333333333 do. */
export const sumTolerance = 1e-8

/** A sum of weights without the digits that are rounding errors. */
export function shownSum(sum: number): string {
  return String(Number(sum.toPrecision(9)))
}
