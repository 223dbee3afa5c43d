import { graphOf, powersBelow } from '../graphs.js'
import { graphKind } from '../kind.js'

/** Node i sends to i + 1, i + 2, i + 4, … (modulo n): the static exponential graph, directed (Ying et al. 2021). */
export const exponential = graphKind({
  kind: 'exponential',
  description: 'sends to about log₂ n peers, at distances 1, 2, 4, …',
  options: {},
  graphs: (_, { length }) => [
    graphOf(length, (node) => powersBelow(length).map((distance) => (node + length - distance) % length))
  ]
})
