import type { Evaluation, KeyCounts, PeerName } from '@murmuration/core'
import type { NeighbourFaults } from '@murmuration/libp2p'
import type { MemberState } from '@murmuration/membership'

/** The faulty messages that a peer sent to its neighbours. */
export interface SenderFaults extends NeighbourFaults {
  readonly sender: PeerName
  /** The neighbours that it sent them to. */
  readonly to: readonly PeerName[]
}

/** Seconds that a peer spent in each state. */
export type StateSeconds = Readonly<Partial<Record<MemberState, number>>>

/** The last line of a swarm's run. */
export interface Summary {
  readonly kind: 'summary'
  readonly peers: number
  /** The number of peers that finished. All other figures are theirs. */
  readonly finished: number
  /** The peers that ended, or gave up, before the others. */
  readonly lost: readonly PeerName[]
  /** How many epochs began after the first; absent if none did. */
  readonly epochs?: number
  /** The peers that were reported as outliers, in the earliest round in which any peer was. */
  readonly outliers: readonly PeerName[]
  /** The peers that sent what no correct peer sends, over all receivers; in the order of names. */
  readonly faults: readonly SenderFaults[]
  /** Of training. */
  readonly rounds: number
  /** Why there were no more; absent where all that the file asks for are over. */
  readonly ended?: string
  /**
   * The first round of the processes, if they resumed from a checkpoint: seconds and bytes count from there, samples do
   * not.
   */
  readonly begun?: number
  /** Of all peers together. */
  readonly samples: number
  /** From the first step to the end of the final averaging rounds. */
  readonly seconds: number
  readonly lossOfMean: number
  readonly accuracyOfMean?: number
  readonly accuracyOfWorst?: number
  readonly lossOfWorst: number
  /** exp(loss), for tasks that learn texts. */
  readonly perplexityOfMean?: number
  /** Further measures of the task for the mean model, by name. */
  readonly measuresOfMean?: Readonly<Record<string, number>>
  readonly perplexityOfWorst?: number
  /** Why the mean model has learned nothing, and what to do; absent if it is better than a constant answer. */
  readonly learnedNothing?: string
  readonly consensusDistance: number
  /** The consensus distance when training ended, before final averaging. */
  readonly consensusDistanceAfterTraining?: number
  /** The last duality gap that was known in training; absent where there is none. */
  readonly gap?: number
  /** Plain SGD on the union of the data, with the same number of samples and the same joint batch. */
  readonly centralisedLoss?: number
  readonly centralisedAccuracy?: number
  readonly centralisedPerplexity?: number
  readonly centralisedSeconds?: number
  /** Of all peers together, payload and overhead. */
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly payloadSent: number
  /** The size of the payload as float32: larger if a codec saves bytes. */
  readonly rawSent: number
  /** Vectors that were sent. */
  readonly messages: number
  /** Of the peer with the most bytes sent and received. */
  readonly bytesOfBusiest: number
  readonly busiestPeer: PeerName
  /** Mean fraction of the time in which peers waited for neighbours, 0 … 1. */
  readonly waiting: number
  /** Mean fraction of the time in which they computed gradients; the two may overlap. */
  readonly working: number
  readonly backend: string
  /** Seconds of each peer in states other than "healthy" and "starting"; peers without any are left out. */
  readonly troubled: Readonly<Record<PeerName, StateSeconds>>
  /** SHA-256 of each peer's final parameters; "murmur sim" of the same files gives the same. */
  readonly models: Readonly<Record<PeerName, string>>
  /** How all peers together accessed keyed rows, if there are any. */
  readonly keys?: KeyCounts
  readonly spectralGap: number
  readonly seed: number
}

/**
 * The last line of a single peer's run; of other peers it covers only what its neighbours sent. A server has no model
 * to evaluate.
 */
export interface PeerSummary extends Partial<Evaluation> {
  readonly kind: 'summary'
  readonly peer: PeerName
  readonly peers: number
  /** How many epochs began at this peer after the first, and who is no member of the last; absent if none did. */
  readonly epochs?: number
  readonly lost?: readonly PeerName[]
  /** Neighbours that were reported as outliers, in the earliest round in which one was. */
  readonly outliers: readonly PeerName[]
  /** Neighbours that sent this peer what no correct peer sends, in the order of names. */
  readonly faults: readonly SenderFaults[]
  /** Of training, and why there were no more, as in {@link Summary}. */
  readonly rounds: number
  readonly ended?: string
  /**
   * The first round of the process, if it resumed from a checkpoint or joined: seconds and bytes count from there,
   * samples do not.
   */
  readonly begun?: number
  /** Of this peer. */
  readonly samples: number
  readonly seconds: number
  /** Why its model has learned nothing, and what to do; absent if it is better than a constant answer. */
  readonly learnedNothing?: string
  /** Seconds in which this peer trained without a majority, because its file says so. */
  readonly trainedApart?: number
  /**
   * Others that have finished with the same model, and with another one; absent where no final models were compared.
   */
  readonly sameModel?: readonly PeerName[]
  readonly apart?: readonly PeerName[]
  /**
   * Root mean square distance of the neighbours' models from this peer's, in the last round; absent where they send no
   * models.
   */
  readonly neighbourDistance?: number
  /** The peer's estimate of the consensus distance: of the final models, or else the last one; absent if unknown. */
  readonly consensusDistance?: number
  /** The last duality gap that was known in training; absent where there is none. */
  readonly gap?: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly payloadSent: number
  readonly rawSent: number
  /** Vectors that were sent. */
  readonly messages: number
  readonly waiting: number
  /** The neighbour for which it has waited longest when all others were there, and for how many seconds. */
  readonly waitedFor?: { readonly neighbour: PeerName; readonly seconds: number }
  readonly working: number
  readonly backend: string
  /** Seconds of this peer in states other than "healthy" and "starting"; empty if there were none. */
  readonly troubled: StateSeconds
  /** SHA-256 of the final parameters. */
  readonly model: string
  /** How this peer accessed keyed rows, if there are any. */
  readonly keys?: KeyCounts
  readonly seed: number
}
