import { problem } from '@murmuration/core'
import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'
import { maxEntries } from '../sparse.js'

/** Each node with each other. */
export const complete = graphKind({
  kind: 'complete',
  description: 'has all others as neighbours',
  options: {},
  problems: (_, { length }) =>
    length ** 2 > maxEntries
      ? [problem(['kind'], `found ${length} peers, expected at most ${Math.sqrt(maxEntries)} for a complete graph`)]
      : [],
  graphs: (_, { length }) => [graphOf(length, () => Array(length).keys())]
})
