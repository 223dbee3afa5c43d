import type { Milliseconds, PeerName } from './names.js'
import type { GapBound } from './task.js'

/** The Euclidean distance of a neighbour's parameters from the peer's own, before mixing. */
export interface NeighbourDistance {
  readonly from: PeerName
  readonly distance: number
}

/**
 * A neighbour with parameters that are much farther from the peer's own than is typical. It sends wrong numbers, or
 * passes on wrong numbers of another peer: over all peers, the neighbours named in the earliest round are the origin.
 */
export interface Outlier {
  readonly neighbour: PeerName
  readonly round: number
  readonly distance: number
  /** The median of the neighbours' distances in earlier rounds. */
  readonly typical: number
}

/** A step of an optimiser: its start and its end. */
export interface Move {
  readonly from: { readonly values: Float32Array }
  readonly to: { readonly values: Float32Array }
}

/** One peer's part of a weighted mean: `x`, and its weight `w`. */
export interface Mass {
  readonly x: { readonly values: Float32Array }
  readonly w: number
  /** The sum of the weights of the states that this peer discarded when it took another peer's state. */
  readonly lost?: number
}

/** How far apart the models of a round were, as one peer estimates it. */
export interface ConsensusEstimate {
  readonly round: number
  /** Root mean square distance of the models from their mean. */
  readonly distance: number
  /** The number of models, the peer's own included. */
  readonly peers: number
}

/**
 * One peer's part of the duality gap of the models that a round began with, or of the last ones: see gapOf in
 * packages/engine.
 */
export interface GapPart extends GapBound {
  /** `Σ_j W_kj ‖u_k − u_j‖²` of the models u before they were mixed to these. */
  readonly spread: number
}

/** How one peer has reached keyed rows since it began. */
export interface KeyCounts {
  /** Keys of rows that the peer held itself when it read them or added to them. */
  readonly local: number
  /** Keys for which a message went to another peer. */
  readonly remote: number
  /** Keys whose reading or adding waited for a row in flight. */
  readonly queued: number
  /** Rows that have moved to this peer. */
  readonly moved: number
  /** Copies of rows that this peer received, each time anew; for algorithms that keep copies. */
  readonly copied: number
}

/** One flat report per step of an algorithm. */
export interface StepReport {
  /** The round that has ended, 0, 1, … */
  readonly round: number
  /** 'train' for a gradient step, 'average' for a round of pure averaging at the end. */
  readonly phase: 'train' | 'average'
  /** Mean loss over this step's batch; absent in final averaging rounds. */
  readonly loss?: number | undefined
  /** The learning rate of this step; absent in final averaging rounds. */
  readonly rate?: number | undefined
  /**
   * How many times this peer has begun: a new process, or a state taken from another peer, begins a new life. 1 when
   * absent.
   */
  readonly life?: number
  /** The epoch of the run; 0 when absent. Where one begins, rounds may be skipped or repeated. */
  readonly epoch?: number
  /** Why training ends with this round, before all its rounds are over; absent where it does not. */
  readonly ends?: string
  /** Samples that this peer has processed, in this process and in those that it continues. */
  readonly samples: number
  /** Time spent waiting in this round: for neighbours, for servers, or for all other workers. */
  readonly waited: Milliseconds
  /** Root mean square of `distances`; absent where there are none. */
  readonly disagreement?: number | undefined
  /** This peer's recent estimate of how far apart all models are; present where peers exchange sketches. */
  readonly consensus?: ConsensusEstimate | undefined
  /** This peer's part of the duality gap; present where an algorithm ascends a dual, and where the part is known. */
  readonly gapPart?: GapPart | undefined
  /**
   * The duality gap, P − D, of the newest round of which this peer knows the parts of all: the loss of the mean model
   * is at most so far above the optimum.
   */
  readonly gap?: number | undefined
  /**
   * How far the model of each neighbour was from the peer's own before mixing, in the order of names: of those whose
   * model arrived. Empty where an algorithm sends something else, such as differences, masses or remainders.
   */
  readonly distances: readonly NeighbourDistance[]
  /** Neighbours that are reported as outliers in this round. */
  readonly outliers: readonly Outlier[]
  /** Neighbours from which no parameters arrived in time. Their weight was given to the peer's own parameters. */
  readonly missing: readonly PeerName[]
  /** Neighbours of which late parameters of an earlier round were mixed in; none when absent. */
  readonly late?: readonly PeerName[]
  /**
   * Neighbours that got nothing: their queue is full, they have left, or they have not yet answered an earlier message.
   */
  readonly unsent: readonly PeerName[]
  /** Input and output of the run's optimiser in this round. Read-only, and valid until the next step. */
  readonly moves: readonly Move[]
  /**
   * Where the peers keep a weighted mean: this peer's part of `Σ x` and `Σ w`. Read-only, and valid until the next
   * step.
   */
  readonly mass?: Mass | undefined
  /**
   * Where keyed rows are divided among the peers: the keys of the rows that this peer holds, ascending; `parameters`
   * are these rows.
   */
  readonly holds?: Uint32Array | undefined
  /** How keyed rows were reached so far, for algorithms that have some. */
  readonly keys?: KeyCounts
  /** The peer's parameters after the round. Read-only, and valid until the next step: copy them to keep them. */
  readonly parameters: Float32Array
}
