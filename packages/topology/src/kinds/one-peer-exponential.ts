import { graphOf, powersBelow } from '../graphs.js'
import { graphKind } from '../kind.js'

/** In round k node i sends only to i + 2^(k mod τ) (modulo n), τ = ⌈log₂ n⌉ (Ying et al. 2021). */
export const onePeerExponential = graphKind({
  kind: 'one-peer-exponential',
  description: 'sends to one peer per round, at distances 1, 2, 4, … in turn',
  options: {},
  graphs(_, { length }) {
    const rounds = powersBelow(length).map((distance) =>
      graphOf(length, (node) => [(node + length - distance) % length])
    )
    return rounds.length > 0 ? rounds : [graphOf(length, () => [])]
  }
})
