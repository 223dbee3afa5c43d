import { log, log1p, type Problem, problem, type Random } from '@murmuration/core'
import * as z from 'zod'
import { type Graph, graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import { maxEntries } from '../sparse.js'
import { drawConnected, seed } from './draw.js'

/** A random graph in which each pair of nodes is an edge with the same probability, independently (Gilbert 1959). */
export const erdosRenyi = graphKind({
  kind: 'erdos-renyi',
  description: 'has each other peer as a neighbour with the same probability',
  options: {
    probability: z.number().min(0).max(1).meta({ description: 'the probability of an edge between two peers' }),
    seed
  },
  example: ({ length }) => ({ probability: Number(surelyConnected(length).toPrecision(3)), seed: 1 }),
  problems: ({ probability }, { length }) => problemsOf(probability, length),
  graphs: ({ probability, seed }, { length }) => [
    drawConnected('erdos-renyi', seed, (random) => drawErdosRenyi(length, probability, random))
  ]
})

/** Twice the threshold ln n / n, above which a large graph is connected almost surely (Erdős and Rényi 1960). */
function surelyConnected(size: number): number {
  return Math.min(1, (2 * log(size)) / size)
}

function problemsOf(probability: number, size: number): Problem[] {
  if (probability === 0) return [problem(['probability'], 'found 0, expected more: without edges nothing is connected')]
  return probability * size ** 2 > maxEntries
    ? [problem(['probability'], `found ${probability}, expected less: ${size} peers would have too many edges`)]
    : []
}

/**
 * Each pair of nodes is an edge with `probability` (above 0), independently (Erdős and Rényi). Draws how many pairs to
 * skip until the next edge, so that sparse graphs of many nodes are fast (Batagelj and Brandes 2005).
 */
export function drawErdosRenyi(size: number, probability: number, random: Random): Graph {
  const skip = () => Math.floor(log1p(-random.uniform()) / log1p(-probability))
  const edges: [number, number][] = []
  let a = 1
  let b = skip()
  for (;;) {
    for (; b >= a && a < size; a++) b -= a
    if (a >= size) return graphOfEdges(size, edges)
    edges.push([a, b])
    b += 1 + skip()
  }
}
