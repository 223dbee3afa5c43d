import type { Milliseconds, PeerName } from './names.js'

/** How far a neighbour's parameters are from one's own: the Euclidean distance, before mixing. */
export interface NeighbourDistance {
  readonly from: PeerName
  readonly distance: number
}

/**
 * A neighbour whose parameters are much farther from one's own than is typical. It sends wrong numbers, or it passes on what
 * another sent it: those who are named in the earliest round of all peers are where it began.
 */
export interface Outlier {
  readonly neighbour: PeerName
  readonly round: number
  readonly distance: number
  /** The median of the neighbours' distances in the rounds before. */
  readonly typical: number
}

/** A step of an optimiser: from where, and to where. */
export interface Move {
  readonly from: { readonly values: Float32Array }
  readonly to: { readonly values: Float32Array }
}

/** What a weighted mean is of: `x`, and its weight `w`. */
export interface Mass {
  readonly x: { readonly values: Float32Array }
  readonly w: number
  /** The sum of the weights that this peer has given up with states of its own, when it took another's. */
  readonly lost?: number
}

/** How far apart the models of a round were, as one peer estimates it. */
export interface ConsensusEstimate {
  readonly round: number
  /** Root mean square distance of the models from their mean. */
  readonly distance: number
  /** Of how many models, the peer's own among them. */
  readonly peers: number
}

/** How keyed rows were reached: by one peer, since it began. */
export interface KeyCounts {
  /** Keys that were read or added to where the peer itself held them. */
  readonly local: number
  /** Keys for which a message went to another peer. */
  readonly remote: number
  /** Keys whose reading or adding waited until a row that was on its way had come. */
  readonly queued: number
  /** Rows that have moved to this peer. */
  readonly moved: number
  /** Rows that have come to this peer as copies, each time anew; of algorithms that keep some. */
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
  /** How often this peer has begun: anew with each process, and with each state that it took from another. 1 when absent. */
  readonly life?: number
  /** Samples that this peer has gone through, in this process and in those that it goes on from. */
  readonly samples: number
  /** Time spent waiting in this round: for neighbours, or for servers or all other workers. */
  readonly waited: Milliseconds
  /** Root mean square over the neighbours of the distance between their parameters and one's own, before mixing. */
  readonly disagreement: number
  /** How far apart the models of all were lately, as this peer estimates it where peers tell each other. */
  readonly consensus?: ConsensusEstimate | undefined
  /** Of each neighbour whose parameters came, in the order of names; none where an algorithm has no neighbours. */
  readonly distances: readonly NeighbourDistance[]
  /** Neighbours that are named as outliers in this round. */
  readonly outliers: readonly Outlier[]
  /** Neighbours whose parameters did not come in time. Their weight went to one's own parameters. */
  readonly missing: readonly PeerName[]
  /** Neighbours of whom parameters of an earlier round were mixed in, which had not come in time; nobody when absent. */
  readonly late?: readonly PeerName[]
  /** Neighbours that were not sent to: their queue is full, they have left, or they have not answered what was sent before. */
  readonly unsent: readonly PeerName[]
  /** What the optimiser of the run was given and gave in this round. Not to be changed, and valid until the next step. */
  readonly moves: readonly Move[]
  /** Where the peers keep a weighted mean: what is one's own of `Σ x` and `Σ w`. Not to be changed, and valid until the next step. */
  readonly mass?: Mass | undefined
  /** Where the parameters are keyed rows that are divided among the peers: the keys of those that this peer holds, ascending; `parameters` are their rows. */
  readonly holds?: Uint32Array | undefined
  /** How keyed rows were reached until now, where an algorithm has some. */
  readonly keys?: KeyCounts
  /** One's own parameters after the round. Not to be changed, and valid until the next step: copy them to keep them. */
  readonly parameters: Float32Array
}
