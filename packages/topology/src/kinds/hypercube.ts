import { exponentOf, problem } from '@murmuration/core'
import { graphOf, powersBelow } from '../graphs.js'
import { graphKind } from '../kind.js'

/** Nodes whose numbers differ in one binary digit. */
export const hypercube = graphKind({
  kind: 'hypercube',
  description: 'has log₂ n neighbours; the number of peers n is a power of two',
  options: {},
  problems: (_, { length }) =>
    2 ** exponentOf(length) === length
      ? []
      : [problem(['kind'], `found ${length} peers, expected a power of two for a hypercube (${powersAround(length)})`)],
  graphs: (_, { length }) => [graphOf(length, (node) => powersBelow(length).map((bit) => node ^ bit))]
})

function powersAround(size: number): string {
  const below = 2 ** exponentOf(size)
  return `${below} or ${2 * below}`
}
