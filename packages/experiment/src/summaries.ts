import type { Evaluation, KeyCounts, PeerName } from '@murmuration/core'
import type { Faults } from '@murmuration/libp2p'
import type { MemberState } from '@murmuration/membership'

/** What a peer that was at fault sent to its neighbours. */
export interface SenderFaults extends Faults {
  readonly sender: PeerName
  /** The neighbours that it sent them to. */
  readonly to: readonly PeerName[]
}

/** For how many seconds a peer was in a state, by state. */
export type StateSeconds = Readonly<Partial<Record<MemberState, number>>>

/** The last line of a swarm's run. */
export interface Summary {
  readonly kind: 'summary'
  readonly peers: number
  /** How many of them finished. All other figures are theirs. */
  readonly finished: number
  /** Those whose processes ended before. */
  readonly lost: readonly PeerName[]
  /** Those whose neighbours named them as outliers, in the earliest round in which anybody was named. */
  readonly outliers: readonly PeerName[]
  /** Who sent what no peer sends that works as it should, over all peers; in the order of names, empty when nobody did. */
  readonly faults: readonly SenderFaults[]
  readonly rounds: number
  /** The round that the processes began with, where they went on from a checkpoint: seconds and bytes are since, samples are not. */
  readonly begun?: number
  /** Of all peers together. */
  readonly samples: number
  /** From the first step to the end of the final averaging rounds. */
  readonly seconds: number
  readonly lossOfMean: number
  readonly accuracyOfMean?: number
  readonly accuracyOfWorst?: number
  readonly lossOfWorst: number
  /** e to the losses, where texts are learned. */
  readonly perplexityOfMean?: number
  /** What else the task measures of the mean model, by name. */
  readonly measuresOfMean?: Readonly<Record<string, number>>
  readonly perplexityOfWorst?: number
  readonly consensusDistance: number
  /** The consensus distance when training ended, before final averaging. */
  readonly consensusDistanceAfterTraining?: number
  /** Plain SGD on the union of the data, at equal samples and the same joint batch. */
  readonly centralisedLoss?: number
  readonly centralisedAccuracy?: number
  readonly centralisedPerplexity?: number
  readonly centralisedSeconds?: number
  /** Of all peers together, payload and overhead. */
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly payloadSent: number
  /** What the payload would be as float32: more, where a codec saves bytes. */
  readonly rawSent: number
  /** Vectors that were sent. */
  readonly messages: number
  /** Of the peer that sent and received most. */
  readonly bytesOfBusiest: number
  readonly busiestPeer: PeerName
  /** Mean fraction of the time in which peers waited for neighbours, 0 … 1. */
  readonly waiting: number
  /** Mean fraction of the time in which they computed gradients; the two may overlap. */
  readonly working: number
  readonly backend: string
  /** Seconds of each peer in the states that are not "healthy" nor "starting"; those of none are left out. */
  readonly troubled: Readonly<Record<PeerName, StateSeconds>>
  /** SHA-256 of the final parameters of each peer, as "murmur sim" of the same files gives them. */
  readonly models: Readonly<Record<PeerName, string>>
  /** How all together have reached keyed rows, where the parameters are some. */
  readonly keys?: KeyCounts
  readonly spectralGap: number
  readonly seed: number
}

/** The last line of a single peer's run; of the other peers it knows what its neighbours sent. A server has no model of its own to evaluate. */
export interface PeerSummary extends Partial<Evaluation> {
  readonly kind: 'summary'
  readonly peer: PeerName
  readonly peers: number
  /** Neighbours that were named as outliers, in the earliest round in which one was. */
  readonly outliers: readonly PeerName[]
  /** Neighbours that sent this peer what no peer sends that works as it should, in the order of names. */
  readonly faults: readonly SenderFaults[]
  readonly rounds: number
  /** The round that the process began with, where it went on from a checkpoint or joined: seconds and bytes are since, samples are not. */
  readonly begun?: number
  /** Of this peer. */
  readonly samples: number
  readonly seconds: number
  /** Root mean square distance of the neighbours' parameters from this peer's, in the last round. */
  readonly neighbourDistance: number
  /** How far apart the models of all were lately, as this peer estimates it; where it knows. */
  readonly consensusDistance?: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly payloadSent: number
  readonly rawSent: number
  /** Vectors that were sent. */
  readonly messages: number
  readonly waiting: number
  readonly working: number
  readonly backend: string
  /** Seconds of this peer in the states that are not "healthy" nor "starting"; empty when there were none. */
  readonly troubled: StateSeconds
  /** SHA-256 of the final parameters. */
  readonly model: string
  /** How this peer has reached keyed rows, where the parameters are some. */
  readonly keys?: KeyCounts
  readonly seed: number
}
