/**
 * Who receives from whom: for each node 0 … n − 1 the nodes that it receives from, ascending, without itself.
 * An undirected edge stands in both lists.
 */
export type Graph = readonly (readonly number[])[]

/** The graph of `size` nodes in which each receives from what `sources` names; doubles and the node itself drop out. */
export function graphOf(size: number, sources: (node: number) => Iterable<number>): Graph {
  return Array.from({ length: size }, (_, node) =>
    [...new Set(sources(node))].filter((source) => source !== node).sort((a, b) => a - b)
  )
}

/** The undirected graph of these edges. */
export function graphOfEdges(size: number, edges: Iterable<readonly [number, number]>): Graph {
  const sources = Array.from({ length: size }, () => new Set<number>())
  for (const [a, b] of edges) {
    sources[a].add(b)
    sources[b].add(a)
  }
  return graphOf(size, (node) => sources[node])
}

/** Each node with the next and the previous, in a circle. */
export function ring(size: number): Graph {
  return graphOf(size, (node) => [(node + 1) % size, (node + size - 1) % size])
}

/** Each node with each other. */
export function complete(size: number): Graph {
  return graphOf(size, () => Array(size).keys())
}

/** The first node with each other. */
export function star(size: number): Graph {
  return graphOf(size, (node) => (node === 0 ? Array(size).keys() : [0]))
}

/** A grid without borders, numbered row by row: each node with its four neighbours. */
export function torus(rows: number, columns: number): Graph {
  const at = (row: number, column: number) => ((row + rows) % rows) * columns + ((column + columns) % columns)
  return graphOf(rows * columns, (node) => {
    const [row, column] = [Math.floor(node / columns), node % columns]
    return [at(row - 1, column), at(row + 1, column), at(row, column - 1), at(row, column + 1)]
  })
}

/** Nodes whose numbers differ in one binary digit; `size` is a power of two. */
export function hypercube(size: number): Graph {
  return graphOf(size, (node) => hops(size).map((hop) => node ^ hop))
}

/** Node i sends to i + 1, i + 2, i + 4, … (modulo `size`): the static exponential graph, directed. */
export function exponential(size: number): Graph {
  return graphOf(size, (node) => hops(size).map((hop) => (node + size - hop) % size))
}

/** In round k node i sends to i + 2^(k mod τ) (modulo `size`) alone, τ = ⌈log₂ n⌉ (Ying et al. 2021). */
export function onePeerExponential(size: number): readonly Graph[] {
  const rounds = hops(size).map((hop) => graphOf(size, (node) => [(node + size - hop) % size]))
  return rounds.length > 0 ? rounds : [graphOf(size, () => [])]
}

/** The powers of two below `size`. */
function hops(size: number): number[] {
  const powers: number[] = []
  for (let power = 1; power < size; power *= 2) powers.push(power)
  return powers
}

/** The rows of the most nearly square grid of `size` nodes: the largest divisor up to the square root. */
export function nearSquareRows(size: number): number {
  let rows = Math.floor(Math.sqrt(size))
  while (size % rows !== 0) rows--
  return rows
}
