import { type Graph, graphOf } from './graphs.js'

/** The graph whose edges are those of all of `graphs`. */
export function unionOf(graphs: readonly Graph[]): Graph {
  return graphs.length === 1 ? graphs[0] : graphOf(graphs[0].length, (node) => graphs.flatMap((graph) => graph[node]))
}

/** The graph with every edge reversed: for each node the nodes that it sends to. */
export function reverseOf(graph: Graph): Graph {
  const targets: number[][] = graph.map(() => [])
  for (const [node, sources] of graph.entries()) for (const source of sources) targets[source].push(node)
  return targets
}

/** Whether each edge goes both ways. */
export function isMutual(graph: Graph): boolean {
  return graph.every((sources, node) => sources.every((source) => graph[source].includes(node)))
}

/** For each node the length of the shortest path to it from `start` along `graph`'s lists; −1 where there is none. */
export function distancesFrom(graph: Graph, start: number): Int32Array {
  const distances = new Int32Array(graph.length).fill(-1)
  distances[start] = 0
  const queue = [start]
  for (const node of queue) {
    for (const next of graph[node]) {
      if (distances[next] < 0) {
        distances[next] = distances[node] + 1
        queue.push(next)
      }
    }
  }
  return distances
}

/** The weakly connected components, each ascending; the component of node 0 comes first. */
export function partsOf(graph: Graph): readonly (readonly number[])[] {
  const undirected = unionOf([graph, reverseOf(graph)])
  const part = new Int32Array(graph.length).fill(-1)
  const parts: number[][] = []
  for (const node of graph.keys()) {
    if (part[node] >= 0) continue
    const members: number[] = []
    for (const queue = [node]; queue.length > 0;) {
      const next = queue.pop() as number
      if (part[next] >= 0) continue
      part[next] = parts.length
      members.push(next)
      queue.push(...undirected[next])
    }
    parts.push(members.sort((a, b) => a - b))
  }
  return parts
}

/** Whether there is a path from every node to every other along the edges' directions. */
export function isStronglyConnected(graph: Graph): boolean {
  return [graph, reverseOf(graph)].every((direction) => distancesFrom(direction, 0).every((distance) => distance >= 0))
}

/** The longest of all shortest paths; Infinity when some node cannot reach another. Takes nodes × edges steps. */
export function diameterOf(graph: Graph): number {
  let longest = 0
  for (const node of graph.keys()) {
    for (const distance of distancesFrom(graph, node)) {
      if (distance < 0) return Number.POSITIVE_INFINITY
      longest = Math.max(longest, distance)
    }
  }
  return longest
}
