import type { PeerName } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { WatchAddress } from '@murmuration/watch'
import type { EvaluationEvent, RunEvent } from '../../base/events.js'
import type { CheckpointOptions } from '../checkpoints/checkpoints.js'
import type { RunRequest } from '../../training/plan.js'
import type { PeerResult, UnfinishedModel } from '../one-peer/run-peer.js'
import type { Snapshot } from '../reporting/snapshots.js'

/** What a peer's process must run. */
export interface ChildTask {
  readonly request: RunRequest
  readonly self: PeerName
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly timeout: number
  readonly checkpoints?: CheckpointOptions | undefined
  /** Where this peer serves the page that shows the run; absent for no page. */
  readonly watch?: WatchAddress | undefined
  /** The folder of results for this peer's event log; absent for no log. */
  readonly directory?: string | undefined
}

/** Messages of the swarm to a peer's process. */
export type ToChild =
  | ({ readonly kind: 'run' } & ChildTask)
  | { readonly kind: 'peerList'; readonly peerList: readonly PeerListEntry[] }
  | { readonly kind: 'stop' }
  /** The mean model was evaluated. */
  | { readonly kind: 'evaluated'; readonly event: EvaluationEvent }
  /** Asks for the first round before which the peer can stop; it must begin no later one. */
  | { readonly kind: 'halt' }
  | { readonly kind: 'stopBefore'; readonly round: number }

/** Messages of a peer's process to the swarm. */
export type FromChild =
  | { readonly kind: 'listening'; readonly entry: PeerListEntry }
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The round is undefined if the peer does not train. */
  | { readonly kind: 'halting'; readonly round: number | undefined }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'result'; readonly result: PeerResult }
  /** Comes before 'failed', if the peer has learned something. */
  | { readonly kind: 'unfinished'; readonly model: UnfinishedModel }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack?: string }
