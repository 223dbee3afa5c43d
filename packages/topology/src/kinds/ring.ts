import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'

/** Each node with the next and the previous, in a circle. */
export const ring = graphKind({
  kind: 'ring',
  description: 'has two neighbours',
  options: {},
  graphs: (_, { length }) => [graphOf(length, (node) => [(node + 1) % length, (node + length - 1) % length])]
})
