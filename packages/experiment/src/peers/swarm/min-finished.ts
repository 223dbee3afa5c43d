import { InputError, type PeerName } from '@murmuration/core'
import { LostError } from '../../base/errors.js'

/** How many peers of a swarm must finish: a number, or a percentage. */
export interface MinFinished {
  readonly amount: number
  readonly unit: 'peers' | '%'
}

/** The number of peers. Throws an InputError if it exceeds `peers`. */
export function peersNeeded({ amount, unit }: MinFinished, peers: number): number {
  const needed = unit === '%' ? Math.ceil((amount * peers) / 100) : amount
  if (needed <= peers) return needed
  throw new InputError(`--min-finished ${amount}: found ${peers} peers in the topology, expected at least ${amount}`)
}

/** Throws a {@link LostError} with the names of the lost peers when fewer than `needed` have finished. */
export function checkFinished(
  { finished, peers, lost }: { readonly finished: number; readonly peers: number; readonly lost: readonly PeerName[] },
  needed: number
): void {
  if (finished >= needed) return
  throw new LostError(
    `${finished} of ${peers} peers finished, --min-finished requires ${needed}; lost: ${lost.join(', ')}`
  )
}
