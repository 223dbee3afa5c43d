import type { Identity } from '../identity.js'

/** What a seed is given. */
export interface SeedOptions {
  readonly identity: Identity
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
}

/** A peer that only introduces others: it has no model, trains nothing, and believes nobody. */
export interface Seed {
  /** The multiaddrs to give to others, the seed's peer id included. */
  readonly addresses: readonly string[]
  /** How many peers it knows of now, of all runs. */
  readonly known: number
  close(): Promise<void>
}

/** Starts a seed. Rejects with an InputError where it cannot listen. The first call loads libp2p. */
export async function openSeed(options: SeedOptions): Promise<Seed> {
  const { startSeed } = await import('./seed.js')
  return startSeed(options)
}
