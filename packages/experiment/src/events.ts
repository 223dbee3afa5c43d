import type { Evaluation, Milliseconds, NeighbourDistance, PeerName } from '@murmuration/core'
import type { MemberState } from '@murmuration/membership'
import type { StoreEvent } from './store-event.js'
import type { PeerSummary, Summary } from './summaries.js'

export type { StoreEvent } from './store-event.js'
export type * from './summaries.js'

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
  | TextEvent
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
  /** The round that the processes began with, where they went on from a checkpoint: seconds and bytes are since. */
  readonly begun?: number
}

/** A text that the mean model writes, now and then; where texts are learned. */
export interface TextEvent {
  readonly kind: 'text'
  readonly of: 'mean'
  readonly round: number
  readonly text: string
}

/** Something that people should know. */
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
