import type { Milliseconds, PeerName, Store, Topology } from '@murmuration/core'
import type { Fusion } from '../vectors/ranges.js'
import type { Members } from '../members/members.js'
import type { Epoch } from '../epochs/epoch.js'
import type { Algorithm, Description, OptimiserSettings } from '../record/record.js'

/** How peers train; the same for all peers of a run. */
export interface TrainingSettings<A extends Description = Algorithm> {
  readonly algorithm: A
  /** The algorithm's options; its schema fills in defaults. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Determines the parameters that all peers start with. */
  readonly seed: number
  /** Samples per peer and gradient. */
  readonly batchSize: number
  readonly rounds: number
  /** Rounds of pure averaging after training, so that all peers end with the same model; 0 when absent. */
  readonly finalRounds?: number
  /** The learning rate γ of a round. */
  readonly rate: (round: number) => number
  /** `{ name: 'sgd' }` when absent. */
  readonly optimiser?: OptimiserSettings
  /** `λ`: adds `λ x` to the gradient; 0 when absent. */
  readonly weightDecay?: number
  /** The greatest norm of a gradient; longer ones are scaled down to it. No limit when absent. */
  readonly clip?: number
  /** How many batches one gradient is the mean of; 1 when absent. */
  readonly accumulate?: number
  /** How long to wait for a message. */
  readonly timeout: Milliseconds
  /** Whether a vector is sent as a whole, or tensor by tensor; 'fused' when absent. */
  readonly fusion?: Fusion
  /**
   * The membership, where peers may come and go. When absent, all are present from the start, and a lost peer does not
   * come back.
   */
  readonly members?: Members | undefined
  /** How the run continues when a peer is lost that the algorithm needs; absent where it ends. With `members`. */
  readonly epochs?: EpochSettings | undefined
  /** The peers that train, in the order of names. */
  readonly workers: readonly PeerName[]
  /** The servers, in the order of names; none when absent. */
  readonly servers?: readonly PeerName[]
  /** The peers whose loss has ended the run, for errors; undefined where that is not certain. */
  readonly gone?: (() => readonly PeerName[] | undefined) | undefined
  /** The store that the servers share, where the algorithm needs one. Workers have none. */
  readonly store?: Store | undefined
}

/** How a run continues in epochs. */
export interface EpochSettings {
  /** The graph of all workers, as in the file. */
  readonly topology: Topology
  /** Whether the models of all peers are equal in every round, bit by bit. */
  readonly areEqual: boolean
  /** What follows from the graph of an epoch's workers, where that is not the file's. */
  readonly on?: (graph: Topology) => Pick<TrainingSettings, 'options' | 'finalRounds'>
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
