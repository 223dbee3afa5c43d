import { graphOf, powersBelow } from '../graphs.js'
import { graphKind } from '../kind.js'
import { hypercube } from './hypercube.js'

/** In round k node i exchanges only with i xor 2^(k mod d), n = 2^d: exact after d rounds (Shi et al. 2016). */
export const hypercubeMatching = graphKind({
  kind: 'hypercube-matching',
  description:
    'has one neighbour per round, whose number differs in one binary digit; the number of peers is a power of two',
  options: {},
  problems: (_, peers, surroundings) => hypercube.problems?.({}, peers, surroundings) ?? [],
  graphs(_, { length }) {
    const bits = powersBelow(length)
    return (bits.length > 0 ? bits : [0]).map((bit) => graphOf(length, (node) => [node ^ bit]))
  }
})
