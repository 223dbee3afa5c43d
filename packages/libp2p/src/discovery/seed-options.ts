import type { Identity } from '../base/identity.js'
import type { RelayLimits } from '../relay/relay-options.js'

/** Options of a seed. */
export interface SeedOptions {
  readonly identity: Identity
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** Makes the seed a relay too, with limits that differ from the defaults; it is no relay when absent. */
  readonly relay?: Partial<RelayLimits> | undefined
}

/** A node that only gives peers each other's addresses: it has no model, and trains nothing. */
export interface Seed {
  /** The multiaddrs to give to others, the seed's peer id included. */
  readonly addresses: readonly string[]
  /** The number of peers in its address book, of all runs. */
  readonly known: number
  /** The number of peers that can be reached through it as a relay. */
  readonly reserved: number
  close(): Promise<void>
}
