import type { Identity } from '../identity.js'
import type { RelayLimits } from '../relay/relay-options.js'

/** What a seed is given. */
export interface SeedOptions {
  readonly identity: Identity
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** That it is a relay too, and in which bounds it differs from the defaults; it is none when absent. */
  readonly relay?: Partial<RelayLimits> | undefined
}

/** A peer that only introduces others: it has no model, trains nothing, and believes nobody. */
export interface Seed {
  /** The multiaddrs to give to others, the seed's peer id included. */
  readonly addresses: readonly string[]
  /** How many peers it knows of now, of all runs. */
  readonly known: number
  /** How many peers can be reached through it now. */
  readonly reserved: number
  close(): Promise<void>
}

/** Starts a seed. Rejects with an InputError where it cannot listen. The first call loads libp2p. */
export async function openSeed(options: SeedOptions): Promise<Seed> {
  const { startSeed } = await import('./seed.js')
  return startSeed(options)
}
