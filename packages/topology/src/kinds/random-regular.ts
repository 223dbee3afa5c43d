import { type Problem, problem, type Random } from '@murmuration/core'
import * as z from 'zod'
import { type Graph, graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'
import { drawConnected, seed } from './draw.js'

/** A random graph in which each node has the same number of neighbours. */
export const randomRegular = graphKind({
  kind: 'random-regular',
  description: 'has the same number of random neighbours',
  options: { degree: z.int().min(1).meta({ description: 'neighbours of each peer' }), seed },
  example: ({ length }) => ({ degree: Math.min(4, length - 1), seed: 1 }),
  problems: ({ degree }, { length }) => problemsOf(degree, length),
  graphs: ({ degree, seed }, { length }) => [
    drawConnected('random-regular', seed, (random) => drawRegular(length, degree, random))
  ]
})

function problemsOf(degree: number, size: number): Problem[] {
  if (degree >= size) return [problem(['degree'], `found ${degree}, expected less than the ${size} peers`)]
  if ((degree * size) % 2 !== 0) {
    return [problem(['degree'], `found ${degree}, expected an even number, since the number of peers, ${size}, is odd`)]
  }
  if (degree === 1 && size > 2)
    return [problem(['degree'], 'found 1, expected 2 or more: with 1 the graph is not connected')]
  return []
}

/**
 * A random graph in which each node has `degree` neighbours, or `undefined` when the draw reached a dead end; then draw
 * again. Ends of edges are paired at random; those that would make a loop or a duplicate edge are paired again (Steger
 * and Wormald 1999). `size` × `degree` is even, `degree` < `size`.
 */
export function drawRegular(size: number, degree: number, random: Random): Graph | undefined {
  if (2 * degree >= size) return complementOf(drawRegular(size, size - 1 - degree, random))
  const neighbours = Array.from({ length: size }, () => new Set<number>())
  let ends = neighbours.flatMap((_, node) => Array<number>(degree).fill(node))
  while (ends.length > 0) {
    if (!canPair(ends, neighbours)) return undefined
    ends = pair(random.shuffle(ends), neighbours)
  }
  return graphOf(size, (node) => neighbours[node])
}

/** Joins the first end to the second and so on where that is allowed; returns the ends without a partner. */
function pair(ends: readonly number[], neighbours: readonly Set<number>[]): number[] {
  const unpaired: number[] = []
  for (let k = 0; k < ends.length; k += 2) {
    const a = ends[k]
    const b = ends[k + 1]
    if (a === b || neighbours[a].has(b)) {
      unpaired.push(a, b)
    } else {
      neighbours[a].add(b)
      neighbours[b].add(a)
    }
  }
  return unpaired
}

function canPair(ends: readonly number[], neighbours: readonly Set<number>[]): boolean {
  const nodes = [...new Set(ends)]
  return nodes.some((a, place) => nodes.slice(place + 1).some((b) => !neighbours[a].has(b)))
}

/** In a dense graph each node misses few others: drawing the missing edges rarely reaches a dead end. */
function complementOf(graph: Graph | undefined): Graph | undefined {
  return graph?.map((sources, node) => {
    const without = new Set([node, ...sources])
    return [...graph.keys()].filter((other) => !without.has(other))
  })
}
