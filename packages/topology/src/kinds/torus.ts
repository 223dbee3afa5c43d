import { type Problem, problem } from '@murmuration/core'
import * as z from 'zod'
import { graphOf } from '../graphs.js'
import { graphKind } from '../kind.js'

const side = z.int().min(1).optional()

/** A grid without borders, numbered row by row: each node with its four neighbours. */
export const torus = graphKind({
  kind: 'torus',
  description: 'has four neighbours, in a grid without borders',
  options: {
    rows: side.meta({ description: 'rows; by default the grid is as square as possible' }),
    columns: side.meta({ description: 'peers per row' })
  },
  problems: (sides, { length }) => problemsOf(sides, length),
  graphs(sides, { length }) {
    const { rows, columns } = completed(sides, length)
    const at = (row: number, column: number) => ((row + rows) % rows) * columns + ((column + columns) % columns)
    const around = (row: number, column: number) => [
      at(row - 1, column),
      at(row + 1, column),
      at(row, column - 1),
      at(row, column + 1)
    ]
    return [graphOf(length, (node) => around(Math.floor(node / columns), node % columns))]
  }
})

interface Sides {
  readonly rows?: number | undefined
  readonly columns?: number | undefined
}

function problemsOf(sides: Sides, size: number): Problem[] {
  const { rows, columns } = completed(sides, size)
  const isWhole = Number.isInteger(rows) && Number.isInteger(columns)
  if (isWhole && rows * columns === size && rows > 1 && columns > 1) return []
  const path = sides.rows !== undefined ? ['rows'] : sides.columns !== undefined ? ['columns'] : ['kind']
  const shown = `${Number(rows.toFixed(2))} x ${Number(columns.toFixed(2))}`
  return [problem(path, `found a torus of ${shown} for ${size} peers, expected rows x columns = ${size}, both above 1`)]
}

/** Rows and columns: as given, one computed from the other, or nearly square. */
function completed({ rows, columns }: Sides, size: number) {
  const height = rows ?? (columns !== undefined ? size / columns : nearSquareRows(size))
  return { rows: height, columns: columns ?? size / height }
}

/** The rows of the most nearly square grid of `size` nodes: the largest divisor up to the square root. */
export function nearSquareRows(size: number): number {
  let rows = Math.floor(Math.sqrt(size))
  while (size % rows !== 0) rows--
  return rows
}
