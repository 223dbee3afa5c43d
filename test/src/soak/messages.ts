/** What the soak and its peers' processes tell each other. */
import type { PeerName } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { MemorySample } from './memory.js'

/** What a peer's process is started with. */
export interface ChildTask {
  readonly self: PeerName
  /** All peers, in the order of the ring. */
  readonly peers: readonly PeerName[]
  readonly seed: number
  /** Numbers of a vector. */
  readonly elements: number
  /** How vectors travel; as the package likes when absent. */
  readonly codec?: string | undefined
  /** How long a round may take at most, in milliseconds. */
  readonly timeout: number
  /** Memory is looked at after the first round that ends so many milliseconds after the last look. */
  readonly sampleEvery: number
}

/** What a peer has come to when it has closed. */
export interface ChildReport {
  /** Rounds that were completed: in each, a whole version came of each neighbour. */
  readonly rounds: number
  /** Versions that the fabric says it received. */
  readonly received: number
  readonly retransmissions: number
  readonly duplicates: number
  readonly badFrames: number
  readonly reconnections: number
  /** The round that took longest, in milliseconds. */
  readonly longest: number
  /** The most memory that the process ever had, in bytes, whatever it was for. */
  readonly peak: number
}

/** From the soak to a peer. */
export type ToChild =
  | { readonly kind: 'connect'; readonly peerList: readonly PeerListEntry[] }
  /** The rounds below `rounds` may be begun. */
  | { readonly kind: 'grant'; readonly rounds: number }
  /** Another has failed: how do things stand? */
  | { readonly kind: 'tell' }
  | { readonly kind: 'close' }

/** From a peer to the soak. */
export type FromChild =
  | { readonly kind: 'listening'; readonly id: string; readonly addresses: readonly string[] }
  | { readonly kind: 'completed'; readonly round: number; readonly memory?: MemorySample | undefined }
  | { readonly kind: 'standing'; readonly text: string }
  | { readonly kind: 'closed'; readonly report: ChildReport }
  | { readonly kind: 'failed'; readonly reason: string }
