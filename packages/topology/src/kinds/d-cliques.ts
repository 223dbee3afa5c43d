import { z } from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'

/**
 * Cliques, each of which has as much of every label as all peers together, and an edge between two of them (Bellet, Kermarrec and Lavoie, SRDS 2022, arXiv
 * 2104.07365). Nothing is known of labels here: of m cliques the c-th has the nodes c, c + m, c + 2 m, …, which is right where data are sorted by
 * label. The authors swap peers until labels fit, and have small worlds of cliques, too; their average of gradients in a clique is not part of a graph.
 */
export const dCliques = graphKind({
  kind: 'd-cliques',
  description: 'has all of its clique as neighbours, and some have one of another clique',
  options: {
    size: z
      .int()
      .min(2)
      .meta({ description: 'peers in a clique, or more where that leaves some over; as many as there are labels' }),
    between: z
      .enum(['ring', 'complete'])
      .default('ring')
      .meta({ description: 'ring: each clique has an edge to the next. complete: to each other clique' })
  },
  example: ({ length }) => ({ size: Math.max(2, length >> 1), between: 'ring' as const }),
  graphs({ size, between }, { length }) {
    const count = Math.max(1, Math.floor(length / size))
    const cliques = Array.from({ length: count }, (_, c) => membersOf(c, count, length))
    const inside = cliques.flatMap((clique) =>
      clique.flatMap((a, k) => clique.slice(k + 1).map((b) => [a, b] as const))
    )
    return [graphOfEdges(length, [...inside, ...edgesBetween(cliques, between)])]
  }
})

function membersOf(clique: number, count: number, length: number): readonly number[] {
  return Array.from({ length: Math.ceil((length - clique) / count) }, (_, k) => clique + k * count)
}

/** Each edge of a clique has another of its members, as long as there are some. */
function edgesBetween(cliques: readonly (readonly number[])[], between: 'ring' | 'complete') {
  const used = cliques.map(() => 0)
  const next = (c: number) => cliques[c][used[c]++ % cliques[c].length]
  const pairs =
    between === 'complete'
      ? cliques.flatMap((_, a) => cliques.slice(a + 1).map((_, k) => [a, a + 1 + k] as const))
      : cliques.slice(cliques.length > 2 ? 0 : 1).map((_, c) => [c, (c + 1) % cliques.length] as const)
  return pairs.map(([a, b]) => [next(a), next(b)] as const)
}
