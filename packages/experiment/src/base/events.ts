import type { Evaluation, Milliseconds, NeighbourDistance, PeerName } from '@murmuration/core'
import type { MemberState } from '@murmuration/membership'
import type { StoreEvent } from './store-event.js'
import type { PeerSummary, Summary } from './summaries.js'

export type { StoreEvent } from './store-event.js'
export type * from './summaries.js'

/** The events of a run, each a flat record; with `--json`, each is a line. */
export type RunEvent =
  | StartEvent
  | PeerStartEvent
  | WatchEvent
  | BrowsersEvent
  | LostEvent
  | NeighbourEvent
  | MembershipEvent
  | EpochEvent
  | StepEvent
  | OutlierEvent
  | EvaluationEvent
  | TextEvent
  | StoreEvent
  | NoteEvent
  | Summary
  | PeerSummary

/** The first event: what will be run. */
export interface StartEvent {
  readonly kind: 'start'
  /** Of the software. */
  readonly version: string
  /** The version of the messages between peers, which is the same in all of them. */
  readonly wire: number
  readonly peers: readonly PeerName[]
  readonly topology: string
  readonly spectralGap: number
  readonly rounds: number
  readonly finalRounds: number
  readonly algorithm: string
  /** The codec of vectors on the links. */
  readonly codec: string
}

/** A peer has started. */
export interface PeerStartEvent {
  readonly kind: 'peer'
  readonly peer: PeerName
  /** Of the peer's process; absent in a browser. */
  readonly pid?: number | undefined
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

/** A peer serves the page with which browsers join. It is only printed: links are secrets. */
export interface BrowsersEvent {
  readonly kind: 'browsers'
  readonly peer: PeerName
  /** The page: on this machine first, then by the names that other devices use. */
  readonly urls: readonly string[]
  /** Addresses of the peer that browsers can call. */
  readonly seeds: readonly string[]
  /** A link for each place that the topology file keeps; absent where the run key is elsewhere, and in logs. */
  readonly links?: readonly JoinLink[]
}

/** A link for one person, as the page on this machine and, if there is another, on the network. */
export interface JoinLink {
  readonly place: PeerName
  readonly urls: readonly string[]
}

/** A peer of a swarm gave up because all its neighbours were missing, or its process ended before it had finished. */
export interface LostEvent {
  readonly kind: 'lost'
  readonly peer: PeerName
  readonly reason: string
  /** What follows for the others, where that is certain. */
  readonly consequence?: string
}

/** The state of a neighbour as `peer` sees it; emitted when it changes. */
export interface NeighbourEvent {
  readonly kind: 'neighbour'
  readonly peer: PeerName
  readonly neighbour: string
  readonly state: string
  readonly reason?: string
  /** Random for each process of the neighbour; with the state `ready`. */
  readonly incarnation?: string
}

/** The membership has changed, as `peer` knows it by gossip; with the state of the swarm after the change. */
export interface MembershipEvent {
  readonly kind: 'membership'
  readonly peer: PeerName
  readonly state: MemberState
  /** How many of the members are present, including this peer. */
  readonly present: number
  /** Peers that have joined and not left; dead peers count until they are forgotten. */
  readonly members: number
  /** All peers of the peer list that are not present. */
  readonly missing: readonly PeerName[]
  /** The change, as a sentence. */
  readonly text: string
  /** Who is left out from now on, and for how much longer, where this peer knows it. */
  readonly leftOut?: { readonly peer: PeerName; readonly seconds: number }
}

/**
 * An epoch has begun at `peer`: members of the run were lost or taken in, and all continue from the mean of the newest
 * models.
 */
export interface EpochEvent {
  readonly kind: 'epoch'
  readonly peer: PeerName
  /** 1, 2, … */
  readonly epoch: number
  /** The first round of it. */
  readonly round: number
  readonly members: readonly PeerName[]
  readonly servers: readonly PeerName[]
  /** The members whose models are in the mean. */
  readonly givers: readonly PeerName[]
  /** The members of the epoch before that are in this one no more, and those that were not in it. */
  readonly lost: readonly PeerName[]
  readonly joined: readonly PeerName[]
  /** From when this peer stopped training until it continued. */
  readonly seconds: number
}

/** A report of a peer over the rounds since its last report. */
export interface StepEvent {
  readonly kind: 'step'
  readonly peer: PeerName
  /** The last round of the report. */
  readonly round: number
  readonly phase: 'train' | 'average'
  /** Why training ends with `round`, before all its rounds are over; absent where it does not. */
  readonly ends?: string
  /** Mean over the report's rounds; absent in final averaging rounds. */
  readonly loss?: number
  readonly rate?: number
  /** Since the start, of this peer. */
  readonly samples: number
  /**
   * Root mean square distance of the neighbours' models from the peer's own; absent where the algorithm sends no
   * models.
   */
  readonly disagreement?: number
  /** A recent estimate of the consensus distance, from what the peers tell each other; absent if unknown. */
  readonly consensusDistance?: number
  /** The duality gap of a recent round; absent if unknown. */
  readonly gap?: number
  /** Distance of each neighbour's model from the peer's own in the last round of the report. */
  readonly distances: readonly NeighbourDistance[]
  /** Neighbours from which no parameters arrived in the last round of the report. */
  readonly missing: readonly PeerName[]
  /** Neighbours that this peer could not send to in that round. */
  readonly unsent: readonly PeerName[]
  /** Since this peer began to train. */
  readonly seconds: number
  /** The fraction of the time in which the peer waited for its neighbours, 0 … 1. */
  readonly waiting: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/**
 * The parameters of a neighbour are much farther from the peer's own than usual: it sends wrong numbers, or passes on
 * wrong numbers that it received. At most once per neighbour and hundred rounds.
 */
export interface OutlierEvent {
  readonly kind: 'outlier'
  readonly peer: PeerName
  readonly neighbour: PeerName
  readonly round: number
  /** Euclidean, before mixing. */
  readonly distance: number
  /** The median of the neighbours' distances in earlier rounds. */
  readonly typical: number
}

/** A model's evaluation on the test set. */
export interface EvaluationEvent extends Evaluation {
  readonly kind: 'evaluation'
  /** 'mean' for the mean of all peers' parameters, 'centralised' for plain SGD, or a peer. */
  readonly of: string
  readonly round: number
  /** Of all peers in that round; only with 'mean'. */
  readonly consensusDistance?: number
  /**
   * Since the start of training: seconds, samples, and bytes sent with overhead; of all peers, or of the one. Absent
   * with 'centralised'.
   */
  readonly seconds?: number
  readonly samples?: number
  readonly bytes?: number
  /** The first round of the processes, if they resumed from a checkpoint: seconds and bytes count from it. */
  readonly begun?: number
}

/** A text that the mean model writes, from time to time; only for models of text. */
export interface TextEvent {
  readonly kind: 'text'
  readonly of: 'mean'
  readonly round: number
  readonly text: string
}

/** Something that the user should know. */
export interface NoteEvent {
  readonly kind: 'note'
  readonly text: string
}

/** With `--json`, the last line of a command that fails. */
export interface ErrorEvent {
  readonly kind: 'error'
  /** The exit code. */
  readonly code: number
  /** The kind of error: `InputError`, `NeighboursMissingError`, … */
  readonly name: string
  /** The text on standard error. */
  readonly message: string
}

/** The destination of events: a live display, plain lines, or JSON lines. */
export interface Output {
  event(event: RunEvent): void
  /** Restores the terminal. */
  end(): void
}

/** Seconds, from a fabric's milliseconds. */
export function secondsOf(time: Milliseconds): number {
  return Math.round(time) / 1000
}
