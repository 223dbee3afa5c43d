/** What random graphs share. */
import { InputError, type Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import * as z from 'zod'
import { isStronglyConnected } from '../connectivity.js'
import type { Graph } from '../graphs.js'

/** The option of every random graph. */
export const seed = z.int().meta({ description: 'equal seeds give equal graphs' })

/** The option of graphs that are drawn anew for each round. */
export const rounds = z.int().min(1).max(4096).default(64).meta({ description: 'random rounds before they repeat' })

/** The results of `draw` for each of `rounds` rounds, each with its own random stream. */
export function drawRounds<T>(
  kind: string,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
  draw: (random: Random) => T
): readonly T[] {
  return Array.from({ length: rounds }, (_, round) => draw(createRandom(seed, 'graph', kind, String(round))))
}

/** A random graph is drawn up to this often until it is connected. */
export const maxDraws = 200

/** The first connected graph that `draw` returns. Throws an InputError when there is none. */
export function drawConnected(kind: string, seed: number, draw: (random: Random) => Graph | undefined): Graph {
  for (let attempt = 0; attempt < maxDraws; attempt++) {
    const graph = draw(createRandom(seed, 'graph', kind, String(attempt)))
    if (graph !== undefined && isStronglyConnected(graph)) return graph
  }
  throw new InputError(
    `found no connected graph in ${maxDraws} random graphs of kind ${kind}: choose options with more edges`
  )
}
