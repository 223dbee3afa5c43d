import { graphOfEdges } from '../graphs.js'
import { graphKind } from '../kind.js'
import { drawRounds, rounds, seed } from './draw.js'

/**
 * In each round the nodes are paired at random, all pairings equally probable; of an odd number one stays alone (Boyd
 * et al. 2006).
 */
export const randomMatching = graphKind({
  kind: 'random-matching',
  description: 'has one random neighbour per round; if the number of peers is odd, one peer has none',
  options: { rounds, seed },
  example: () => ({ rounds: 64, seed: 1 }),
  graphs: (options, { length }) =>
    drawRounds('random-matching', options, (random) => {
      const order = random.shuffle(Array.from({ length }, (_, node) => node))
      const pairs = Array.from({ length: length >> 1 }, (_, pair) => [order[2 * pair], order[2 * pair + 1]] as const)
      return graphOfEdges(length, pairs)
    })
})
