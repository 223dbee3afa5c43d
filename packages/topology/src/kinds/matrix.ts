import { type PeerName, type Problem, problem } from '@murmuration/core'
import * as z from 'zod'
import { graphKind } from '../kind.js'
import { sparseMatrix } from '../sparse.js'
import { shownSum, sumTolerance } from '../weights.js'
import { weight } from './weight.js'

/** `W` itself. */
export const matrix = graphKind({
  kind: 'matrix',
  description: 'receives from the peers that have a weight in its row of W',
  options: { rows: z.array(z.array(weight)).meta({ description: 'a list of weights for each peer' }) },
  example: ({ length }) => ({ rows: Array.from({ length }, () => Array<number>(length).fill(1 / length)) }),
  problems: ({ rows }, peers) => problemsOf(rows, peers),
  weights: {
    isGiven: () => true,
    matrices: ({ rows }) => [sparseMatrix(rows.map((row) => row.map((value, column) => ({ column, value }))))]
  }
})

function problemsOf(rows: readonly (readonly number[])[], peers: readonly PeerName[]): Problem[] {
  const size = peers.length
  if (rows.length !== size) return [problem(['rows'], `found ${rows.length} rows, expected ${size}, one for each peer`)]
  return rows.flatMap((row, index) => {
    const of = `the row of ${peers[index]}`
    if (row.length !== size) {
      return [problem(['rows', index], `found ${row.length} weights in ${of}, expected ${size}, one for each peer`)]
    }
    const sum = row.reduce((total, weight) => total + weight, 0)
    if (Math.abs(sum - 1) < sumTolerance) return []
    return [
      problem(['rows', index], `found the sum ${shownSum(sum)} in ${of}, expected 1 (fractions such as 1/3 are exact)`)
    ]
  })
}
