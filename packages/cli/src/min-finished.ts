import { InputError, type PeerName } from '@murmuration/core'
import { LostError } from './exit-codes.js'

/** How many peers of a swarm must finish: a number of them, or a percentage. */
export interface MinFinished {
  readonly amount: number
  readonly unit: 'peers' | '%'
}

/** Reads `3` or `75%`. Throws an InputError for anything else. */
export function minFinishedOf(text: string): MinFinished {
  const [, digits, unit] = /^(\d+(?:\.\d+)?) *(%?)$/.exec(text) ?? []
  const amount = Number(digits)
  if (unit === '%' && amount > 0 && amount <= 100) return { amount, unit }
  if (unit === '' && Number.isInteger(amount) && amount > 0) return { amount, unit: 'peers' }
  throw new InputError(
    `--min-finished: found "${text}", expected a number of peers such as 3, or a percentage such as 75%`
  )
}

/** The same in peers. Throws an InputError when there are not so many. */
export function peersNeeded({ amount, unit }: MinFinished, peers: number): number {
  const needed = unit === '%' ? Math.ceil((amount / 100) * peers) : amount
  if (needed <= peers) return needed
  throw new InputError(`--min-finished ${amount}: the topology has ${peers} peers`)
}

/** Throws a {@link LostError} with the names of the lost when fewer than `needed` peers have finished. */
export function checkFinished(
  { finished, peers, lost }: { readonly finished: number; readonly peers: number; readonly lost: readonly PeerName[] },
  needed: number
): void {
  if (finished >= needed) return
  throw new LostError(
    `${finished} of ${peers} peers finished, and --min-finished asks for ${needed}; lost: ${lost.join(', ')}`
  )
}
