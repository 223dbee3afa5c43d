import type { Random } from '@murmuration/core'
import { type Graph, graphOf, graphOfEdges } from './graphs.js'

/**
 * A random graph in which each node has `degree` neighbours, or `undefined` when the drawing led into a dead end:
 * then draw again. Ends of edges are paired at random; those that would make a loop or a double edge are paired again
 * (Steger and Wormald 1999). `size` × `degree` is even, `degree` < `size`.
 */
export function randomRegular(size: number, degree: number, random: Random): Graph | undefined {
  if (2 * degree >= size) return complementOf(randomRegular(size, size - 1 - degree, random))
  const neighbours = Array.from({ length: size }, () => new Set<number>())
  let ends = neighbours.flatMap((_, node) => Array<number>(degree).fill(node))
  while (ends.length > 0) {
    if (!canPair(ends, neighbours)) return undefined
    ends = pair(random.shuffle(ends), neighbours)
  }
  return graphOf(size, (node) => neighbours[node])
}

/** Joins the first end to the second and so on where that is allowed; returns the ends that are left. */
function pair(ends: readonly number[], neighbours: readonly Set<number>[]): number[] {
  const left: number[] = []
  for (let k = 0; k < ends.length; k += 2) {
    const [a, b] = [ends[k], ends[k + 1]]
    if (a === b || neighbours[a].has(b)) {
      left.push(a, b)
    } else {
      neighbours[a].add(b)
      neighbours[b].add(a)
    }
  }
  return left
}

function canPair(ends: readonly number[], neighbours: readonly Set<number>[]): boolean {
  const nodes = [...new Set(ends)]
  return nodes.some((a, place) => nodes.slice(place + 1).some((b) => !neighbours[a].has(b)))
}

/** Few nodes are left out per node in a dense graph, so that drawing those rarely ends in a dead end. */
function complementOf(graph: Graph | undefined): Graph | undefined {
  return graph?.map((sources, node) => {
    const without = new Set([node, ...sources])
    return [...graph.keys()].filter((other) => !without.has(other))
  })
}

/**
 * Each pair of nodes is an edge with `probability` (above 0), independently (Erdős and Rényi). Draws how many pairs to
 * skip until the next edge, so that sparse graphs of many nodes are quick (Batagelj and Brandes 2005).
 */
export function erdosRenyi(size: number, probability: number, random: Random): Graph {
  const skip = () => Math.floor(Math.log1p(-random.uniform()) / Math.log1p(-probability))
  const edges: [number, number][] = []
  let [a, b] = [1, skip()]
  for (;;) {
    for (; b >= a && a < size; a++) b -= a
    if (a >= size) return graphOfEdges(size, edges)
    edges.push([a, b])
    b += 1 + skip()
  }
}

/**
 * A ring in which each node knows the `neighbours` nearest (an even number), and each edge is laid elsewhere with the
 * probability `rewire` (Watts and Strogatz 1998).
 */
export function smallWorld(size: number, neighbours: number, rewire: number, random: Random): Graph {
  const lattice = Array.from({ length: neighbours / 2 }, (_, distance) =>
    Array.from({ length: size }, (_, node) => [node, (node + distance + 1) % size] as const)
  ).flat()
  const sets = graphOfEdges(size, lattice).map((known) => new Set(known))
  for (const [a, b] of lattice) {
    if (random.uniform() >= rewire || sets[a].size >= size - 1) continue
    const stranger = drawStranger(a, sets[a], random, size)
    sets[a].delete(b)
    sets[b].delete(a)
    sets[a].add(stranger)
    sets[stranger].add(a)
  }
  return graphOf(size, (node) => sets[node])
}

/** An even draw from the nodes other than `node` that it does not know. There is one. */
function drawStranger(node: number, known: ReadonlySet<number>, random: Random, size: number): number {
  for (;;) {
    const other = random.integer(size)
    if (other !== node && !known.has(other)) return other
  }
}
