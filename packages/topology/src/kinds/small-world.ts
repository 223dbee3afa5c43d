import { problem, type Random } from '@murmuration/core'
import * as z from 'zod'
import { type Graph, graphOf, graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import { drawConnected, seed } from './draw.js'

/**
 * A ring of nearest neighbours in which some edges are rewired (Watts and Strogatz 1998; their example rewires a
 * tenth).
 */
export const smallWorld = graphKind({
  kind: 'small-world',
  description: 'has the nearest peers on a ring as neighbours, some of them replaced by random ones',
  options: {
    neighbours: z.int().min(1).meta({ description: 'nearest peers, an even number' }),
    rewire: z.number().min(0).max(1).meta({ description: 'the probability that an edge leads to a random peer' }),
    seed
  },
  example: ({ length }) => ({ neighbours: length > 4 ? 4 : 2, rewire: 0.1, seed: 1 }),
  problems: ({ neighbours }, { length }) =>
    neighbours % 2 === 0 && neighbours < length
      ? []
      : [problem(['neighbours'], `found ${neighbours}, expected an even number below ${length}, the number of peers`)],
  graphs: ({ neighbours, rewire, seed }, { length }) => [
    drawConnected('small-world', seed, (random) => drawSmallWorld(length, neighbours, rewire, random))
  ]
})

/**
 * A ring in which each node is linked to its `neighbours` nearest (an even number), and each edge is rewired with the
 * probability `rewire` (Watts and Strogatz 1998).
 */
export function drawSmallWorld(size: number, neighbours: number, rewire: number, random: Random): Graph {
  const lattice = Array.from({ length: neighbours / 2 }, (_, distance) =>
    Array.from({ length: size }, (_, node) => [node, (node + distance + 1) % size] as const)
  ).flat()
  const sets = graphOfEdges(size, lattice).map((known) => new Set(known))
  for (const [a, b] of lattice) {
    if (random.uniform() >= rewire || sets[a].size >= size - 1) continue
    const other = drawOther(a, sets[a], random, size)
    sets[a].delete(b)
    sets[b].delete(a)
    sets[a].add(other)
    sets[other].add(a)
  }
  return graphOf(size, (node) => sets[node])
}

/** An even draw from the nodes other than `node` that are not its neighbours. At least one must exist. */
function drawOther(node: number, known: ReadonlySet<number>, random: Random, size: number): number {
  for (;;) {
    const other = random.integer(size)
    if (other !== node && !known.has(other)) return other
  }
}
