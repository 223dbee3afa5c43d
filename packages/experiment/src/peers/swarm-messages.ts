import type { PeerName } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { WatchAddress } from '@murmuration/watch'
import type { EvaluationEvent, RunEvent } from '../events.js'
import type { CheckpointOptions } from './checkpoints/checkpoints.js'
import type { RunRequest } from '../training/plan.js'
import type { PeerResult } from './run-peer.js'
import type { Snapshot } from './snapshots.js'

/** What a peer's process is to run. */
export interface ChildTask {
  readonly request: RunRequest
  readonly self: PeerName
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly timeout: number
  /** A file with the links to shape the connections by. */
  readonly links?: string
  readonly checkpoints?: CheckpointOptions | undefined
  /** Where this peer is to serve the page that shows the run, if it is to. */
  readonly watch?: WatchAddress | undefined
  /** The folder of results in which this peer keeps its event log, if it is to. */
  readonly directory?: string | undefined
}

/** What the swarm tells a peer's process. */
export type ToChild =
  | ({ readonly kind: 'run' } & ChildTask)
  | { readonly kind: 'peerList'; readonly peerList: readonly PeerListEntry[] }
  | { readonly kind: 'stop' }
  /** The mean model was evaluated. */
  | { readonly kind: 'evaluated'; readonly event: EvaluationEvent }
  /** To say the first round before which it can stop, and to begin no later one. */
  | { readonly kind: 'halt' }
  | { readonly kind: 'stopBefore'; readonly round: number }

/** What a peer's process tells the swarm. */
export type FromChild =
  | { readonly kind: 'listening'; readonly entry: PeerListEntry }
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** No round where the peer does not train. */
  | { readonly kind: 'halting'; readonly round: number | undefined }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'result'; readonly result: PeerResult }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack?: string }
