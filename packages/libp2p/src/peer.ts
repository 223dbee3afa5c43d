import type { Fabric, Links, Milliseconds, PeerName, RefusedError, Topology } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { AdmissionOptions } from './admission/desk.js'
import type { Limits } from './constants.js'
import type { DiscoveryOptions } from './discovery/discovery.js'
import type { PeerEventListener } from './events.js'
import type { Identity } from './identity.js'
import type { NeighbourStatus } from './neighbour.js'
import type { PeerListEntry } from './peer-list.js'
import type { RelayOptions } from './relay/relay-options.js'
import type { RunSettings } from './run-settings.js'
import type { Signer } from './signer.js'
import type { Traffic } from './traffic.js'

/** What a peer needs to know before it listens. */
export interface PeerOptions {
  readonly self: PeerName
  readonly identity: Identity
  /** The neighbours are all peers that one of its rounds lets this peer send to or receive from. */
  readonly topology: Topology
  /** Endpoints beyond the topology's peers, such as parameter servers. They are neighbours of all peers, and have no row in the topology. */
  readonly servers?: readonly PeerName[] | undefined
  /** Whom `connect` waits for, beside servers; 'neighbours' when absent. Links to others are built when something is sent to them. */
  readonly reach?: 'neighbours' | 'everyone' | undefined
  /** The seed of the run. The random numbers of the fabric depend on it and on `self`. */
  readonly seed: number
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  readonly runSettings: RunSettings
  readonly onEvent?: PeerEventListener
  readonly limits?: Partial<Limits>
  /**
   * Links that the connections of this peer are to be as slow as, for trying out real peers on one machine. All peers have to
   * be given the same. Shared pipes cannot be shaped. See `shaping/shaper.ts` for what is shaped.
   */
  readonly links?: Links | undefined
  /**
   * In which form vectors are written to the neighbours: `float32` (the default, nothing is lost), another of the codecs in
   * `@murmuration/vectors`, or `auto`, which chooses by the measured speed of each link. Each direction of a link has its own.
   */
  readonly codec?: string | undefined
  /** How others of the peer list are found, beside the addresses that it has; by these alone when absent. */
  readonly discovery?: DiscoveryOptions | undefined
  /** Whether to have routers of the local network forward this peer's port, by UPnP. */
  readonly upnp?: boolean | undefined
  /** Relays by which this peer is reached, and whether it is one; neither when absent. */
  readonly relay?: RelayOptions | undefined
  /** How peers are let in whose ids the peer list does not have; not at all when absent. */
  readonly admission?: AdmissionOptions | undefined
}

/** This machine's peer on the network. */
export interface Peer {
  /** The libp2p peer id. */
  readonly id: string
  /** The multiaddrs by which others reach it, through relays too, its id included. */
  readonly addresses: readonly string[]
  /** Its waits reject with a RefusedError once this peer's own admission counts no longer, and with a StoppedError once it is stopped. */
  readonly fabric: Fabric<VectorMessage>
  /** Signs in the name of this peer, and checks what others of the peer list sign. */
  readonly signer: Signer
  /**
   * Connects to the neighbours. To be called once. Resolves when all are ready in both directions.
   * Rejects with a NeighboursMissingError after `timeout`, with a RefusedError as soon as one refuses or is refused, with an
   * InputError for a peer list that does not fit, and with a StoppedError when stopped. The links are kept up until `close`,
   * also after a rejection.
   */
  connect(peerList: readonly PeerListEntry[], timeout: Milliseconds): Promise<void>
  /** As `connect`, without waiting for anybody. Throws as it does. */
  meet(peerList: readonly PeerListEntry[]): void
  /** Why a neighbour never will be ready, if one refuses or is refused. */
  readonly refusal: RefusedError | undefined
  /**
   * Shares the sample counts of all peers of the topology, from neighbour to neighbour. To be called by all peers, once connected.
   * Rejects with a NeighboursMissingError that names the missing peers after `timeout`, and with an
   * InputError when neighbours contradict each other.
   */
  exchangeSampleCounts(samples: number, timeout: Milliseconds): Promise<ReadonlyMap<PeerName, number>>
  /**
   * Exchanges which rounds all peers, servers too, have checkpoints of, from neighbour to neighbour. To be called by all of them, once
   * connected, with what each has then. Those that counted no more when that was saved (`gone`) are not waited for, and not in the result, whoever says so.
   * Rejects as `exchangeSampleCounts` does.
   */
  exchangeCheckpoints(
    rounds: readonly number[],
    timeout: Milliseconds,
    gone?: readonly PeerName[]
  ): Promise<ReadonlyMap<PeerName, readonly number[]>>
  /**
   * Says that this peer has saved a round, and asks its neighbours once. Resolves with the newest round that each other peer is known to
   * have saved, or −1.
   */
  exchangeSaved(round: number): Promise<readonly number[]>
  /** The state of each neighbour, in the order of their names. */
  neighbours(): readonly NeighbourStatus[]
  /** What was sent and received, over all neighbours. */
  traffic(): Traffic
  /** For how long, since the start, at least one vector was queued, on a link, or not acknowledged yet. */
  readonly sendingTime: Milliseconds
  /**
   * The round trip of a message with so many bytes of padding (at most 4096) to a neighbour; `undefined` when there is no answer within
   * 10 s.
   */
  roundTrip(neighbour: PeerName, bytes?: number): Promise<Milliseconds | undefined>
  /**
   * Vectors allocated beyond the whole ones that were reserved at the start. While all are released in time, these are only the first
   * ranges of the parameters.
   */
  readonly vectorsBeyond: number
  /** Makes the fabric's waits reject with a StoppedError. The links stay up until `close`. */
  stop(reason?: string): void
  /** Stops, waits (no longer than `limits.closeTimeout`) for acknowledgements, tells the neighbours, and shuts down. */
  close(reason?: string): Promise<void>
}

/**
 * Creates a peer that listens. Until `connect` gives it the peer list, it refuses all connections. Rejects with InputErrors.
 * The first call loads libp2p: a process that only starts others, or checks input, does not need it.
 */
export async function createPeer(options: PeerOptions): Promise<Peer> {
  const { openPeer } = await import('./open-peer.js')
  return openPeer(options)
}
