/** What the page is told. All of it was checked where it came in; the page shows it as text all the same. */
import type { PeerName } from '@murmuration/core'
import type { LinkReport, Phase } from './report.js'

/** How a peer stands, as the watching peer knows it: by the membership's records, else by its reports alone. */
export type Condition = 'absent' | 'joining' | 'here' | 'done' | 'left' | 'dead' | 'silent'

/** What does not change in a run. */
export interface RunFacts {
  /** The peer that serves the page. */
  readonly self: PeerName
  readonly peers: readonly PeerName[]
  readonly servers: readonly PeerName[]
  readonly topology: string
  readonly algorithm: string
  /** Of training, and of averaging after it. */
  readonly rounds: number
  readonly finalRounds: number
  readonly about: Readonly<Record<string, string>>
}

/** One peer now. Rates are per second. */
export interface PeerView {
  readonly name: PeerName
  readonly condition: Condition
  /** How the swarm looks to it. */
  readonly state?: string | undefined
  readonly phase?: Phase | undefined
  readonly round: number
  readonly life: number
  /** Whose vectors it has waited for, for long. */
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
  /** Seconds since the page's server began. */
  readonly time: number
  readonly state?: string | undefined
  readonly members?: number | undefined
  readonly present?: number | undefined
  /** Mean over the peers that report. */
  readonly loss?: number | undefined
  readonly accuracy?: number | undefined
  readonly consensusDistance?: number | undefined
  readonly samplesRate: number
  readonly sentRate: number
  readonly peers: readonly PeerView[]
  /** The newest last. */
  readonly events: readonly SwarmEvent[]
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
  /** Of each peer, in the order of the facts. */
  readonly losses: readonly Known[]
  readonly accuracy: Known
  readonly consensusDistance: Known
  readonly sentRate: Known
}

/** How a peer spent a second: percent working, waiting and sending. */
export type Second = readonly [working: number, waiting: number, sending: number] | null

/** All that a page has to know when it opens; sent again when old moments are thinned out. */
export interface SnapshotMessage {
  readonly kind: 'snapshot'
  readonly facts: RunFacts
  readonly curves: readonly CurveRow[]
  /** The last seconds, the newest last, of each peer. */
  readonly seconds: readonly (readonly Second[])[]
  readonly now: SwarmNow
}

export interface UpdateMessage {
  readonly kind: 'update'
  readonly row?: CurveRow | undefined
  /** Of each peer. */
  readonly second: readonly Second[]
  readonly now: SwarmNow
}

/** The watching peer ends in good order; nothing follows. */
export interface EndMessage {
  readonly kind: 'end'
}

export type WatchMessage = SnapshotMessage | UpdateMessage | EndMessage
