import type { Fabric, Links, Milliseconds, PeerName, RefusedError, Topology } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { AdmissionOptions } from './admission/desk.js'
import type { Limits } from './base/constants.js'
import type { DiscoveryOptions } from './discovery/discovery.js'
import type { PeerEventListener } from './base/events.js'
import type { Identity } from './base/identity.js'
import type { NeighbourStatus } from './links/neighbour.js'
import type { PeerListEntry } from './addresses/peer-list.js'
import type { RelayOptions } from './relay/relay-options.js'
import type { RunSettings } from './base/run-settings.js'
import type { Signer } from './base/signer.js'
import type { Traffic } from './base/traffic.js'

/** Options of a peer. */
export interface PeerOptions {
  readonly self: PeerName
  readonly identity: Identity
  /** The neighbours are all peers that this peer sends to or receives from in any of its rounds. */
  readonly topology: Topology
  /**
   * Endpoints besides the topology's peers, such as parameter servers. They are neighbours of all peers, and have no
   * row in the topology.
   */
  readonly servers?: readonly PeerName[] | undefined
  /**
   * The peers that `connect` waits for, besides servers; 'neighbours' when absent. Links to others are built when
   * something is sent to them.
   */
  readonly reach?: 'neighbours' | 'everyone' | undefined
  /** The seed of the run. The random numbers of the fabric depend on it and on `self`. */
  readonly seed: number
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  readonly runSettings: RunSettings
  /** An error that it throws ends the peer as `signal` does, with this error as the reason. */
  readonly onEvent?: PeerEventListener
  /**
   * Aborted to end the peer: `createPeer` and the fabric's waits reject with its reason, and the peer closes by itself.
   */
  readonly signal?: AbortSignal | undefined
  readonly limits?: Partial<Limits>
  /**
   * Links that the connections of this peer emulate, for tests of real peers on one machine. All peers must have the
   * same value. Shared pipes cannot be shaped. See `shaping/shaper.ts` for what is shaped.
   */
  readonly links?: Links | undefined
  /**
   * The codec of vectors to the neighbours: `float32` (the default, lossless), another codec of `@murmuration/vectors`,
   * or `auto`, which chooses by the measured speed of each link. Each direction of a link has its own.
   */
  readonly codec?: string | undefined
  /** How other listed peers are found, besides their addresses in the peer list; only by these when absent. */
  readonly discovery?: DiscoveryOptions | undefined
  /** Whether to make routers of the local network forward this peer's port, by UPnP. */
  readonly upnp?: boolean | undefined
  /** Relays through which this peer is reached, and whether it is one; neither when absent. */
  readonly relay?: RelayOptions | undefined
  /** How peers that are not in the peer list are admitted; not at all when absent. */
  readonly admission?: AdmissionOptions | undefined
}

/** A peer on the network. */
export interface Peer {
  /** The libp2p peer id. */
  readonly id: string
  /** Random for each created peer: others know by it that this peer has restarted. */
  readonly incarnation: string
  /** The multiaddrs at which others reach it, also through relays, with its id. */
  readonly addresses: readonly string[]
  /**
   * Its waits reject with a RefusedError once this peer's own admission is void, with a StoppedError once it is
   * stopped, and with the reason of an abort or the error of an event listener.
   */
  readonly fabric: Fabric<VectorMessage>
  /** Signs for this peer, and checks the signatures of other listed peers. */
  readonly signer: Signer
  /**
   * Connects to the neighbours. To be called once. Resolves when all are ready in both directions.
   * Rejects with a NeighboursMissingError after `timeout`, with a RefusedError as soon as more than half of them refuse
   * or are refused, with an InputError for a peer list that does not fit, and with a StoppedError when stopped. The
   * links are kept up until `close`, also after a rejection.
   */
  connect(peerList: readonly PeerListEntry[], timeout: Milliseconds): Promise<void>
  /** Dials at once whoever is not connected, instead of waiting for a call or the next attempt. */
  hurry(): void
  /** As `connect`, without waiting. Throws the same errors. */
  meet(peerList: readonly PeerListEntry[]): void
  /**
   * Why this peer does not fit the others: a refusal between it and a neighbour, if there is one with more than half of
   * them. With fewer, those are waited for, since their files may be corrected and they be started again.
   */
  readonly refusal: RefusedError | undefined
  /**
   * Shares the sample counts of all peers of the topology, from neighbour to neighbour. To be called by all peers, once
   * connected. Rejects with a NeighboursMissingError that names the missing peers after `timeout`, and with an
   * InputError when neighbours contradict each other.
   */
  exchangeSampleCounts(samples: number, timeout: Milliseconds): Promise<ReadonlyMap<PeerName, number>>
  /**
   * Exchanges, from neighbour to neighbour, the rounds of which all peers, including servers, have checkpoints. To be
   * called by all of them, once connected, with their rounds at that time. A peer that no longer counted when these
   * were saved (`gone`, by any peer's word) is not waited for, and not in the result. Rejects as `exchangeSampleCounts`
   * does.
   */
  exchangeCheckpoints(
    rounds: readonly number[],
    timeout: Milliseconds,
    gone?: readonly PeerName[]
  ): Promise<ReadonlyMap<PeerName, readonly number[]>>
  /**
   * Announces that this peer has saved a round, and asks its neighbours once. Resolves with the newest round that each
   * other peer is known to have saved, or −1.
   */
  exchangeSaved(round: number): Promise<readonly number[]>
  /** The state of each neighbour, in the order of their names. */
  neighbours(): readonly NeighbourStatus[]
  /** The seeds and relays that do not answer, each with the reason. */
  readonly unreached: readonly string[]
  /** The traffic of all neighbours together. */
  traffic(): Traffic
  /** The time since the start in which at least one vector was queued, in flight or unacknowledged. */
  readonly sendingTime: Milliseconds
  /**
   * The round trip of a message with `bytes` bytes of padding (at most 4096) to a neighbour; `undefined` without an
   * answer within 10 s.
   */
  roundTrip(neighbour: PeerName, bytes?: number): Promise<Milliseconds | undefined>
  /**
   * The number of vectors allocated beyond the reserved ones. While all vectors are released in time, these are only
   * the first vectors of each other length.
   */
  readonly vectorsBeyond: number
  /** Makes the fabric's waits reject, with a StoppedError or with the given error. The links stay up until `close`. */
  stop(reason?: string | Error): void
  /**
   * Stops, waits (no longer than `limits.closeTimeout`) for acknowledgements, tells the neighbours, and shuts down.
   *
   * @param reason - what neighbours read; 'done' when absent, or 'stopped' after an abort
   */
  close(reason?: string): Promise<void>
}
