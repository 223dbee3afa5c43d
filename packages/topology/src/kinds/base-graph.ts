import * as z from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import { rowsWithRemainder } from '../weights.js'
import { baseRounds } from './base-rounds.js'

/**
 * The Base-(k + 1) graph (Takezawa et al., NeurIPS 2023, Algorithm 3): after one period every node has the exact mean,
 * for any number of nodes, with at most `degree` = k neighbours in each round. There are at most 2 log_{k+1} n + 2
 * rounds (Theorem 1).
 */
export const baseGraph = graphKind({
  kind: 'base-graph',
  description: 'has a few neighbours per round; averaging is exact after one period, for any number of peers',
  options: { degree: z.int().min(1).default(1).meta({ description: 'the maximum number of neighbours in a round' }) },
  weights: {
    isGiven: () => true,
    matrices: ({ degree }, { length }) =>
      baseRounds(length, degree).map((edges) => {
        const weights = new Map(
          edges.flatMap(
            ({ a, b, weight }) =>
              [
                [`${a} ${b}`, weight],
                [`${b} ${a}`, weight]
              ] as const
          )
        )
        const graph = graphOfEdges(
          length,
          edges.map(({ a, b }) => [a, b])
        )
        return rowsWithRemainder(graph, (node, source) => weights.get(`${node} ${source}`) ?? 0)
      })
  }
})
