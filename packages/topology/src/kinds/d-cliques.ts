import * as z from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'

/**
 * Cliques with the same distribution of labels as all peers together, joined by single edges (Bellet, Kermarrec and
 * Lavoie, SRDS 2022, arXiv 2104.07365). Labels are not known here: clique c of m has the nodes c, c + m, c + 2 m, …,
 * which fits data that are sorted by label. The authors swap peers until the labels fit, and have small worlds of
 * cliques too. Their average of gradients within a clique is not part of a graph.
 */
export const dCliques = graphKind({
  kind: 'd-cliques',
  description: 'has all peers of its clique as neighbours; some have one in another clique',
  options: {
    size: z.int().min(2).meta({
      description: 'peers in a clique, best as many as labels; some have more if n is not a multiple'
    }),
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

/** The edges of a clique go to different members, as long as there are enough. */
function edgesBetween(cliques: readonly (readonly number[])[], between: 'ring' | 'complete') {
  const used = cliques.map(() => 0)
  const next = (c: number) => cliques[c][used[c]++ % cliques[c].length]
  const pairs =
    between === 'complete'
      ? cliques.flatMap((_, a) => cliques.slice(a + 1).map((_, k) => [a, a + 1 + k] as const))
      : cliques.slice(cliques.length > 2 ? 0 : 1).map((_, c) => [c, (c + 1) % cliques.length] as const)
  return pairs.map(([a, b]) => [next(a), next(b)] as const)
}
