import type { Milliseconds, PeerName, Topology } from '@murmuration/core'
import type { TrainingSettings } from '../driver/training.js'
import type { Epoch } from './epoch.js'

/** Settings of a run that may continue when a peer is lost that its algorithm needs. */
export interface ElasticSettings extends TrainingSettings {
  /** How it continues; absent where it ends. With `members`. */
  readonly epochs?: EpochSettings | undefined
}

/** How a run continues in epochs. */
export interface EpochSettings {
  /** The graph of all workers, as in the file. */
  readonly topology: Topology
  /** Whether the models of all peers are equal in every round, bit by bit. */
  readonly areEqual: boolean
  /** Whether gradients are weighed by samples, where the model is cut: lines in epochs other than the first one. */
  readonly isWeighed?: boolean
  /** What follows from the graph of an epoch's workers, where that is not the file's. */
  readonly on?: (graph: Topology) => Pick<TrainingSettings, 'options' | 'finalRounds' | 'stop'>
  /** To what fraction a round of averaging on a graph shrinks disagreement; without it no duality gap is known. */
  readonly contraction?: (graph: Topology) => number
  /** Whether all links are up that a peer needs which is to be taken in; always when absent. */
  readonly isConnected?: (members: readonly PeerName[]) => boolean
  /** Whether this peer takes part in no agreement now, as where all are about to stop; never when absent. */
  readonly isHeld?: () => boolean
  /** Called before the first round of an epoch other than the first one; awaited. */
  readonly before?: (beginning: EpochBeginning) => Promise<void> | void
}

/** An epoch that begins. */
export interface EpochBeginning {
  readonly epoch: Epoch
  /** The members of the epoch before that are in this one no more, and those that were not in it. */
  readonly lost: readonly PeerName[]
  readonly joined: readonly PeerName[]
  /** How long this peer has not trained. */
  readonly paused: Milliseconds
}
