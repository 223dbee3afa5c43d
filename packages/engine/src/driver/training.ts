import type { Milliseconds, PeerName, Store } from '@murmuration/core'
import type { PipelineSettings } from '../pipeline/line.js'
import type { Fusion } from '../vectors/ranges.js'
import type { Members } from '../members/members.js'
import type { StopSettings } from './stop-rule.js'
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
  /** How many rounds of the run were before these, in earlier epochs; 0 when absent. */
  readonly first?: number
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
  /** When training ends before all its rounds are over; never when absent. Not where peers have their own pace. */
  readonly stop?: StopSettings | undefined
  /** How long to wait for a message. */
  readonly timeout: Milliseconds
  /** Whether a vector is sent as a whole, or tensor by tensor; 'fused' when absent. */
  readonly fusion?: Fusion
  /**
   * The membership, where peers may come and go. When absent, all are present from the start, and a lost peer does not
   * come back.
   */
  readonly members?: Members | undefined
  /** The peers that train, in the order of names. */
  readonly workers: readonly PeerName[]
  /** The servers, in the order of names; none when absent. */
  readonly servers?: readonly PeerName[]
  /** The lines that compute gradients together, where the model is cut; `workers` are then the peers of one stage. */
  readonly pipeline?: PipelineSettings | undefined
  /** The peers whose loss has ended the run, for errors; undefined where that is not certain. */
  readonly gone?: (() => readonly PeerName[] | undefined) | undefined
  /** The store that the servers share, where the algorithm needs one. Workers have none. */
  readonly store?: Store | undefined
}
