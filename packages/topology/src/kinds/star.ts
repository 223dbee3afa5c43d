import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'

/** The first node with each other. */
export const star = graphKind({
  kind: 'star',
  description: 'has the first as its only neighbour, and the first has all others',
  options: {},
  graphs: (_, { length }) => [graphOf(length, (node) => (node === 0 ? Array(length).keys() : [0]))]
})
