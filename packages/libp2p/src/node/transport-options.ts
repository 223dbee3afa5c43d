import type { createLibp2p } from 'libp2p'
import type { Limits } from '../base/constants.js'
import type { Identity } from '../base/identity.js'
import type { Shaper } from '../shaping/shaper.js'

type NodeInit = NonNullable<Parameters<typeof createLibp2p>[0]>

/** What decides how a node reaches others. */
export interface TransportOptions {
  readonly identity: Identity
  /** Multiaddrs to listen on. */
  readonly listen: readonly string[]
  readonly limits: Limits
  readonly shaper: Shaper | undefined
  /** Whether to find others, and be found, on the local network. */
  readonly lan: boolean
  /** Whether to have routers of the local network forward its ports. */
  readonly upnp: boolean
}

/** Fields of libp2p's options. */
export type Transports = Required<Pick<NodeInit, 'transports' | 'services' | 'peerDiscovery'>>
