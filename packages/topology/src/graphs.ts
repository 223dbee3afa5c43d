/**
 * Incoming edges: for each node 0 … n − 1 the nodes that it receives from, ascending, without itself. An undirected
 * edge is in both lists.
 */
export type Graph = readonly (readonly number[])[]

/** The graph of `size` nodes in which each receives from its `sources`; duplicates and the node itself are removed. */
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

/** The powers of two below `size`. */
export function powersBelow(size: number): number[] {
  const powers: number[] = []
  for (let power = 1; power < size; power *= 2) powers.push(power)
  return powers
}
