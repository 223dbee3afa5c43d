/** The messages to the page. All data in them was checked on receipt; the page nevertheless shows it as text. */
import type { PeerName } from '@murmuration/core'
import type { LinkReport, Phase } from './report.js'

/**
 * The condition of a peer as the watching peer knows it: by the membership's records, or without these by the peer's
 * reports alone.
 */
export type Condition = 'absent' | 'joining' | 'here' | 'done' | 'left' | 'dead' | 'silent'

/** What does not change during a run. */
export interface RunFacts {
  /** Of the software. */
  readonly version: string
  /** The version of the messages between peers. */
  readonly wire: number
  /** The peer that serves the page. */
  readonly self: PeerName
  readonly peers: readonly PeerName[]
  readonly servers: readonly PeerName[]
  readonly topology: string
  readonly algorithm: string
  /** The rounds of training; `finalRounds` is those of averaging after it. */
  readonly rounds: number
  readonly finalRounds: number
  readonly about: Readonly<Record<string, string>>
}

/** One peer now. Rates are per second. */
export interface PeerView {
  readonly name: PeerName
  readonly condition: Condition
  /** The state of the swarm as this peer sees it. */
  readonly state?: string | undefined
  readonly phase?: Phase | undefined
  readonly round: number
  readonly life: number
  /** The peers for whose vectors it has waited for a long time. */
  readonly waitsFor: readonly PeerName[]
  /** Seconds since its last report; absent without one. */
  readonly age?: number | undefined
  readonly loss?: number | undefined
  readonly accuracy?: number | undefined
  readonly samples: number
  readonly samplesRate: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly sentRate: number
  readonly receivedRate: number
  readonly working: number
  readonly waiting: number
  readonly sending: number
  readonly links: readonly LinkReport[]
}

/** The whole run now. */
export interface SwarmNow {
  /** Seconds since the page's server started. */
  readonly time: number
  readonly state?: string | undefined
  readonly members?: number | undefined
  readonly present?: number | undefined
  /** The newest epoch; absent in the first, which all peers of the run are in. */
  readonly epoch?: EpochNow | undefined
  /** Mean over the peers that report. */
  readonly loss?: number | undefined
  readonly accuracy?: number | undefined
  readonly consensusDistance?: number | undefined
  readonly gap?: number | undefined
  readonly samplesRate: number
  readonly sentRate: number
  readonly peers: readonly PeerView[]
  /** The newest last. */
  readonly events: readonly SwarmEvent[]
}

/** An epoch, and its members, servers included. */
export interface EpochNow {
  readonly number: number
  readonly members: readonly PeerName[]
}

export interface SwarmEvent {
  /** As in {@link SwarmNow}. */
  readonly time: number
  readonly text: string
}

/** A value that may not be known. */
export type Known = number | null

/** One moment of the curves. */
export interface CurveRow {
  readonly time: number
  /** Per peer, in the order of the facts. */
  readonly losses: readonly Known[]
  readonly accuracy: Known
  readonly consensusDistance: Known
  readonly sentRate: Known
}

/** How a peer spent a second: percent working, waiting and sending. They may overlap. */
export type Second = readonly [working: number, waiting: number, sending: number] | null

/** Everything that a page needs when it opens; sent again when old rows are thinned out. */
export interface SnapshotMessage {
  readonly kind: 'snapshot'
  readonly facts: RunFacts
  readonly curves: readonly CurveRow[]
  /** The last seconds of each peer, the newest last. */
  readonly seconds: readonly (readonly Second[])[]
  readonly now: SwarmNow
}

export interface UpdateMessage {
  readonly kind: 'update'
  readonly row?: CurveRow | undefined
  /** Per peer. */
  readonly second: readonly Second[]
  readonly now: SwarmNow
}

/** The watching peer ends cleanly; nothing follows. */
export interface EndMessage {
  readonly kind: 'end'
}

export type WatchMessage = SnapshotMessage | UpdateMessage | EndMessage
