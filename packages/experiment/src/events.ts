import type { Evaluation, KeyCounts, Milliseconds, NeighbourDistance, PeerName } from '@murmuration/core'
import type { Faults } from '@murmuration/libp2p'
import type { MemberState } from '@murmuration/membership'
import type { StoreEvent } from './store-event.js'

export type { StoreEvent } from './store-event.js'

/** What happens in a run, as one flat record each. With `--json` each is a line. */
export type RunEvent =
  | StartEvent
  | PeerEvent
  | WatchEvent
  | LostEvent
  | NeighbourEvent
  | MembershipEvent
  | StepEvent
  | OutlierEvent
  | EvaluationEvent
  | StoreEvent
  | NoteEvent
  | Summary
  | PeerSummary

/** Before anything else: what is going to be run. */
export interface StartEvent {
  readonly kind: 'start'
  readonly peers: readonly PeerName[]
  readonly topology: string
  readonly spectralGap: number
  readonly rounds: number
  readonly finalRounds: number
  readonly algorithm: string
  /** How vectors are written on the links. */
  readonly codec: string
}

/** A peer is up. */
export interface PeerEvent {
  readonly kind: 'peer'
  readonly peer: PeerName
  /** Of the peer's process. */
  readonly pid: number
  readonly id: string
  readonly addresses: readonly string[]
  readonly parameters: number
  /** The task's facts: model, backend and why it was chosen, data, partition. */
  readonly about: Readonly<Record<string, string>>
}

/** A peer serves the page that shows the run. */
export interface WatchEvent {
  readonly kind: 'watch'
  readonly peer: PeerName
  readonly url: string
}

/** The process of a peer of a swarm ended before the peer had finished; the others go on. */
export interface LostEvent {
  readonly kind: 'lost'
  readonly peer: PeerName
  readonly reason: string
}

/** How a neighbour is doing, seen from `peer`; told when it changes. */
export interface NeighbourEvent {
  readonly kind: 'neighbour'
  readonly peer: PeerName
  readonly neighbour: string
  readonly state: string
  readonly reason?: string
}

/** Something has changed in who is there, as `peer` knows it by gossip; with how the swarm looks to it since. */
export interface MembershipEvent {
  readonly kind: 'membership'
  readonly peer: PeerName
  readonly state: MemberState
  /** How many of the members are present, this peer among them. */
  readonly present: number
  /** Who has come and has not left; the dead count until they are forgotten. */
  readonly members: number
  /** All of the peer list that are not present. */
  readonly missing: readonly PeerName[]
  /** What has changed, as a sentence. */
  readonly text: string
}

/** A report of a peer over the rounds since its last one. */
export interface StepEvent {
  readonly kind: 'step'
  readonly peer: PeerName
  /** The last round of the report. */
  readonly round: number
  readonly phase: 'train' | 'average'
  /** Mean over the report's rounds; absent in final averaging rounds. */
  readonly loss?: number
  readonly rate?: number
  /** Since the start, of this peer. */
  readonly samples: number
  /** Root mean square distance of the neighbours' parameters from the peer's own. */
  readonly disagreement: number
  /** How far apart the models of all were lately, as this peer estimates it from what all tell each other; where it knows. */
  readonly consensusDistance?: number
  /** Distance of each neighbour's parameters from the peer's own in the last round of the report. */
  readonly distances: readonly NeighbourDistance[]
  /** Neighbours whose parameters did not come in the last round of the report. */
  readonly missing: readonly PeerName[]
  /** Neighbours that could not be sent to in it. */
  readonly unsent: readonly PeerName[]
  /** Since this peer began to train. */
  readonly seconds: number
  /** The fraction of the time in which the peer waited for its neighbours, 0 … 1. */
  readonly waiting: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/**
 * The parameters of a neighbour are much farther from the peer's own than is typical: it sends wrong numbers, or it passes on what
 * another sent it. At most once per neighbour and hundred rounds.
 */
export interface OutlierEvent {
  readonly kind: 'outlier'
  readonly peer: PeerName
  readonly neighbour: PeerName
  readonly round: number
  /** Euclidean, before mixing. */
  readonly distance: number
  /** The median of the neighbours' distances in the rounds before. */
  readonly typical: number
}

/** The test set's verdict on a model. */
export interface EvaluationEvent extends Evaluation {
  readonly kind: 'evaluation'
  /** 'mean' for the mean of all peers' parameters, 'centralised' for plain SGD, or a peer. */
  readonly of: string
  readonly round: number
  /** Of all peers at that round; with 'mean' only. */
  readonly consensusDistance?: number
  /** Since the start of training: seconds, samples, and bytes sent with overhead; of all peers, or of the one. Not with 'centralised'. */
  readonly seconds?: number
  readonly samples?: number
  readonly bytes?: number
}

/** What a peer that was at fault sent to its neighbours. */
export interface SenderFaults extends Faults {
  readonly sender: PeerName
  /** The neighbours that it sent them to. */
  readonly to: readonly PeerName[]
}

/** Something that people should know. */
export interface NoteEvent {
  readonly kind: 'note'
  readonly text: string
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

/** With `--json`, the last line of a command that fails. */
export interface ErrorEvent {
  readonly kind: 'error'
  /** The exit code. */
  readonly code: number
  /** The kind of error: `InputError`, `NeighboursMissingError`, … */
  readonly name: string
  /** What standard error says. */
  readonly message: string
}

/** Where events go: a live display, plain lines, or JSON lines. */
export interface Output {
  event(event: RunEvent): void
  /** Leaves the terminal as it should be. */
  end(): void
}

/** Seconds, from a fabric's milliseconds. */
export function secondsOf(time: Milliseconds): number {
  return Math.round(time) / 1000
}
