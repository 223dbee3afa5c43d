import type { Milliseconds, PeerName, Store } from '@murmuration/core'
import type { Fusion } from '../ranges.js'
import type { Members } from './members.js'
import type { Algorithm, OptimiserSettings } from '../record.js'

/** How peers train. All of a run are given the same. */
export interface TrainingSettings {
  readonly algorithm: Algorithm
  /** Of the algorithm; its schema fills in defaults. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Of the parameters that all peers start with. */
  readonly seed: number
  /** Samples per peer and gradient. */
  readonly batchSize: number
  readonly rounds: number
  /** Rounds of pure averaging after them, so that all peers end with the same model; 0 when absent. */
  readonly finalRounds?: number
  /** The learning rate γ of a round. */
  readonly rate: (round: number) => number
  /** `{ name: 'sgd' }` when absent. */
  readonly optimiser?: OptimiserSettings
  /** `λ`: adds `λ x` to the gradient; 0 when absent. */
  readonly weightDecay?: number
  /** The longest gradient; longer ones are scaled down to it. No limit when absent. */
  readonly clip?: number
  /** How many batches one gradient is the mean of; 1 when absent. */
  readonly accumulate?: number
  /** How long a message is waited for. */
  readonly timeout: Milliseconds
  /** Whether a vector travels as one, or tensor by tensor; 'fused' when absent. */
  readonly fusion?: Fusion
  /** Who is there, where peers may come and go. When absent, all are there from the start, and one that is lost is lost. */
  readonly members?: Members | undefined
  /** Who trains, in the order of names. */
  readonly workers: readonly PeerName[]
  /** Who serves, in the order of names; nobody when absent. */
  readonly servers?: readonly PeerName[]
  /** What the servers share, where the algorithm needs a store. Workers have none. */
  readonly store?: Store | undefined
}
