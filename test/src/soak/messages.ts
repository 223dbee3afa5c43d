/** The messages between the soak and its peers' processes. */
import type { PeerName } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { MemorySample } from './memory.js'

/** The input of a peer's process. */
export interface SoakTask {
  readonly self: PeerName
  /** All peers, in the order of the ring. */
  readonly peers: readonly PeerName[]
  readonly seed: number
  /** Numbers of a vector. */
  readonly elements: number
  /** The codec of vectors; the package's default when absent. */
  readonly codec?: string | undefined
  /** How long a round may take at most, in milliseconds. */
  readonly timeout: number
  /** Memory is measured after the first round that ends this many milliseconds after the last measurement. */
  readonly sampleEvery: number
}

/** The result of a peer, after closing. */
export interface ChildReport {
  /** Completed rounds: in each, a whole version of each neighbour has arrived. */
  readonly rounds: number
  /** Versions that the fabric reports as received. */
  readonly received: number
  readonly retransmissions: number
  readonly duplicates: number
  readonly badFrames: number
  readonly reconnections: number
  /** The longest round, in milliseconds. */
  readonly longest: number
  /** The peak memory of the process, in bytes, for any purpose. */
  readonly peak: number
}

/** From the soak to a peer. */
export type ToSoakPeer =
  | { readonly kind: 'connect'; readonly peerList: readonly PeerListEntry[] }
  /** Rounds below `rounds` may begin. */
  | { readonly kind: 'grant'; readonly rounds: number }
  /** Another peer has failed: asks for the status. */
  | { readonly kind: 'tell' }
  | { readonly kind: 'close' }

/** From a peer to the soak. */
export type FromSoakPeer =
  | { readonly kind: 'listening'; readonly id: string; readonly addresses: readonly string[] }
  | { readonly kind: 'completed'; readonly round: number; readonly memory?: MemorySample | undefined }
  | { readonly kind: 'standing'; readonly text: string }
  | { readonly kind: 'closed'; readonly report: ChildReport }
  | { readonly kind: 'failed'; readonly reason: string }
