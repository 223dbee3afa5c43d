import { exponentOf, problem, type Random } from '@murmuration/core'
import * as z from 'zod'
import { type Graph, graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'
import { uniform } from '../weights.js'
import { drawRounds, rounds, seed } from './draw.js'

/**
 * In each round each node sends to `degree` random others, and averages evenly what it receives with its own: EL-Local
 * of Epidemic Learning (de Vos et al., NeurIPS 2023, Algorithm 1). The mean is kept only in expectation.
 */
export const epidemic = graphKind({
  kind: 'epidemic',
  description:
    'sends to some random peers, different ones in each round, and averages what it receives with equal weights',
  options: {
    degree: z.int().min(1).meta({ description: 'peers that each peer sends to' }),
    rounds,
    seed
  },
  example: ({ length }) => ({
    degree: Math.max(1, Math.min(length - 1, exponentOf(2 * length - 1))),
    rounds: 64,
    seed: 1
  }),
  problems: ({ degree }, { length }) =>
    degree < length ? [] : [problem(['degree'], `found ${degree}, expected less than the ${length} peers`)],
  weights: {
    isGiven: () => true,
    matrices: ({ degree, ...options }, { length }) =>
      drawRounds('epidemic', options, (random) => uniform(drawSending(length, degree, random)))
  }
})

/** Each node sends to `degree` others; all sets of that size are equally probable. */
function drawSending(size: number, degree: number, random: Random): Graph {
  const sources = Array.from({ length: size }, () => new Set<number>())
  for (let node = 0; node < size; node++) {
    const targets = new Set<number>()
    while (targets.size < degree) targets.add((node + 1 + random.integer(size - 1)) % size)
    for (const target of targets) sources[target].add(node)
  }
  return graphOf(size, (node) => sources[node])
}
