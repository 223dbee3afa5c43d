/**
 * Weights with which averaging reduces disagreement as fast as the graph allows. They need an undirected graph that is
 * the same in every round.
 */
import { exp, type Problem, problem } from '@murmuration/core'
import { EigenvalueDecomposition, Matrix } from './libraries/matrices.js'
import { extremeEigenvalues } from './lanczos.js'
import type { Graph } from './graphs.js'
import { isMutual, isStronglyConnected } from './connectivity.js'
import type { SparseMatrix } from './sparse.js'
import { rowsWithRemainder } from './weights.js'

/** A step needs all eigenvectors: 64 peers take a second, 256 some 15. */
export const maxFastest = 64

/** Why such weights cannot be computed; empty if they can. */
export function optimalProblems(rule: 'best-constant' | 'fastest', graphs: readonly Graph[]): Problem[] {
  const [graph] = graphs
  if (graphs.length !== 1 || !isMutual(graph) || !isStronglyConnected(graph)) {
    const message = `found "${rule}" for a graph that is one-way, not connected or changes by round, expected "metropolis" or "uniform"`
    return [problem(['weights'], message)]
  }
  if (rule === 'best-constant' || graph.length <= maxFastest) return []
  return [
    problem(
      ['weights'],
      `found "fastest" for ${graph.length} peers, expected ${maxFastest} at most, or "best-constant"`
    )
  ]
}

/**
 * The same weight on every edge: 2 / (λ₁ + λ_{n−1}) of the Laplacian, which makes max(λ₂, −λₙ) of W as small as one
 * weight can (Xiao and Boyd, Systems & Control Letters 53, 2004, section 4.1). It is at most 1 / the largest degree,
 * since a weight below 0 would be no average.
 */
export function bestConstant(graph: Graph): SparseMatrix {
  const weight = constantFor(graph)
  return rowsWithRemainder(graph, () => weight)
}

function constantFor(graph: Graph): number {
  const degree = Math.max(1, ...graph.map(({ length }) => length))
  // The map is L / (2 · the largest degree), whose eigenvalues are between 0 and 1.
  const { smallest, largest } = extremeEigenvalues(graph.length, (x, into) => {
    for (const [node, sources] of graph.entries())
      into[node] = sources.reduce((sum, source) => sum + x[node] - x[source], 0) / (2 * degree)
  })
  return Math.min(1 / (degree * (smallest + largest)), 1 / degree)
}

/** An undirected edge, and its weight. */
interface UndirectedEdge {
  readonly a: number
  readonly b: number
  readonly weight: number
}

const steps = 300

/** The descent ends after this many steps without a thousandth of progress. */
const stepsWithoutProgress = 80

/**
 * A non-negative weight for each edge that minimises max(λ₂, −λₙ): the fastest mixing Markov chain (Boyd, Diaconis and
 * Xiao, SIAM Review 46(4), 2004), a convex problem. As there, weights follow a projected subgradient with decreasing
 * steps; here the subgradient is the mean over all eigenvalues near the extremes, weighted by their distance. Returns
 * the best weights found, {@link bestConstant} among them.
 */
export function fastest(graph: Graph): SparseMatrix {
  const weight = constantFor(graph)
  let edges: readonly UndirectedEdge[] = graph.flatMap((sources, a) =>
    sources.filter((b) => a < b).map((b) => ({ a, b, weight }))
  )
  let best = { modulus: 1, edges }
  let progress = 1
  for (let step = 1; step <= steps; step++) {
    const { modulus, subgradient } = subgradientOf(edges, graph.length, step)
    if (modulus < best.modulus) {
      if (1 - modulus > (1 - best.modulus) * 1.001) progress = step
      best = { modulus, edges }
    }
    const length = Math.sqrt(subgradient.reduce((sum, each) => sum + each * each, 0))
    if (length < 1e-12 || step - progress > stepsWithoutProgress) break
    const size = (weight * Math.sqrt(edges.length)) / (4 * Math.sqrt(step) * length)
    edges = feasible(
      edges.map((edge, index) => ({ ...edge, weight: Math.max(0, edge.weight - size * subgradient[index]) })),
      graph.length
    )
  }
  const weights = new Map(best.edges.map((edge) => [edge.a * graph.length + edge.b, edge.weight]))
  return rowsWithRemainder(graph, (a, b) => weights.get(Math.min(a, b) * graph.length + Math.max(a, b)) ?? 0)
}

/** max(λ₂, −λₙ) at these weights, and its subgradient. */
function subgradientOf(edges: readonly UndirectedEdge[], size: number, step: number) {
  const { realEigenvalues: values, eigenvectorMatrix } = new EigenvalueDecomposition(withoutMean(edges, size), {
    assumeSymmetric: true
  })
  const modulus = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const sharpness = (10 * Math.sqrt(step)) / Math.max(1e-6, 1 - modulus)
  const factors = values.map((value) => Math.sign(value) * exp(sharpness * (Math.abs(value) - modulus)))
  const near = factors.flatMap((factor, k) =>
    Math.abs(factor) > 1e-6 ? [{ vector: eigenvectorMatrix.getColumn(k), factor }] : []
  )
  const subgradient = edges.map(({ a, b }) =>
    near.reduce((sum, { vector, factor }) => sum - factor * (vector[a] - vector[b]) ** 2, 0)
  )
  return { modulus, subgradient }
}

/** W − 11ᵀ / n. */
function withoutMean(edges: readonly UndirectedEdge[], size: number): Matrix {
  const matrix = Matrix.eye(size).sub(1 / size)
  const add = (row: number, column: number, weight: number) => matrix.set(row, column, matrix.get(row, column) + weight)
  for (const { a, b, weight } of edges) {
    add(a, b, weight)
    add(b, a, weight)
    add(a, a, -weight)
    add(b, b, -weight)
  }
  return matrix
}

/**
 * Projects node by node: a sum of weights above 1 is reduced to 1, by the same amount on each edge, but not below 0.
 */
function feasible(edges: readonly UndirectedEdge[], size: number): readonly UndirectedEdge[] {
  const weights = edges.map(({ weight }) => weight)
  const incident: number[][] = Array.from({ length: size }, () => [])
  for (const [index, { a, b }] of edges.entries()) for (const node of [a, b]) incident[node].push(index)
  for (const indices of incident) {
    const excess = () => indices.reduce((sum, index) => sum + weights[index], -1)
    for (let over = excess(); over > 1e-12; over = excess()) {
      const positive = indices.filter((index) => weights[index] > 0)
      for (const index of positive) weights[index] = Math.max(0, weights[index] - over / positive.length)
    }
  }
  return edges.map((edge, index) => ({ ...edge, weight: weights[index] }))
}
