import { pow, problem } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import * as z from 'zod'
import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'
import { seed } from './draw.js'

/**
 * The nodes lie in distinct random cells of a grid of `side` to the power of `dimensions`. In round k, nodes average
 * whose cells differ only in coordinate k mod `dimensions`. If no cell is empty, the mean is exact after `dimensions`
 * rounds (Ryabinin et al., NeurIPS 2021, section 3.2).
 */
export const moshpitGrid = graphKind({
  kind: 'moshpit-grid',
  description: 'has as neighbours the peers in its row of a grid, along one dimension after the other',
  options: {
    side: z.int().min(2).meta({ description: 'cells along each dimension' }),
    dimensions: z.int().min(1).default(2).meta({ description: 'dimensions of the grid' }),
    seed
  },
  example: ({ length }) => ({ side: Math.max(2, Math.ceil(Math.sqrt(length))), dimensions: 2, seed: 1 }),
  problems: ({ side, dimensions }, { length }) =>
    pow(side, dimensions) >= length && pow(side, dimensions) <= 2 ** 20
      ? []
      : [
          problem(
            ['side'],
            `found ${side} ** ${dimensions} cells for ${length} peers, expected at least as many, and at most 2 ** 20`
          )
        ],
  graphs({ side, dimensions, seed }, { length }) {
    const all = Array.from({ length: pow(side, dimensions) }, (_, cell) => cell)
    const cells = createRandom(seed, 'graph', 'moshpit-grid').shuffle(all).slice(0, length)
    return Array.from({ length: dimensions }, (_, dimension) => {
      const unit = pow(side, dimension)
      const rows = new Map<number, number[]>()
      const rowOf = (cell: number) => cell - (Math.floor(cell / unit) % side) * unit
      for (const [node, cell] of cells.entries()) rows.set(rowOf(cell), [...(rows.get(rowOf(cell)) ?? []), node])
      return graphOf(length, (node) => rows.get(rowOf(cells[node])) ?? [])
    })
  }
})
