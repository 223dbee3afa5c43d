import type { Fabric, Links, Milliseconds, PeerName, Topology, Wire, Work } from '@murmuration/core'
import type { FaultEvent, Faults } from './faults.js'
import type { NetworkOptions } from './network/network.js'

/** An endpoint beyond the peers. */
export interface Server {
  readonly name: PeerName
  /** The peer whose machine it runs on and whose line it shares; its own machine when absent. */
  readonly on?: PeerName
}

/** Uniform links: one-way latency in milliseconds, bandwidth of each peer's line in bits per second. */
export function uniformLinks({ latency = 0, bandwidth = Number.POSITIVE_INFINITY }): Links {
  const infinite = Number.POSITIVE_INFINITY
  const path = { latency, jitter: 0, loss: 0, bandwidth: infinite, window: infinite, pipes: [] }
  return { access: () => ({ up: bandwidth, down: bandwidth }), path: () => path }
}

/** What is simulated. */
export interface SimulationOptions<Message> {
  readonly topology: Topology
  /**
   * Endpoints beyond the topology's peers, such as parameter servers. They have no neighbours and run the same program,
   * which checks `fabric.self`. All endpoints can send to all.
   */
  readonly servers?: readonly Server[]
  readonly seed: number
  readonly wire: Wire<Message>
  /** The network between them; see {@link uniformLinks}. */
  readonly links: Links
  /** How bytes move; {@link rawNetwork} when absent. */
  readonly network?: NetworkOptions
  /** How long a peer's computing takes, in milliseconds. Called once for each work. */
  readonly cost: (work: Work<unknown>, peer: PeerName) => Milliseconds
  /**
   * How much may be in flight from one peer to another or wait in the mailbox, in units of the largest message (see
   * `Wire.largest`); beyond it, a send returns 'full'. 8 by default, as on real links.
   */
  readonly queueLimit?: number
  readonly faults?: Faults
  /** When a peer is told to stop. */
  readonly stops?: ReadonlyMap<PeerName, Milliseconds>
  /** Virtual time at which all are told to stop. */
  readonly until?: Milliseconds
  readonly observer?: SimulationObserver
}

/** Is notified of what happens, for charts. Times are virtual. */
export interface SimulationObserver {
  /** A message has arrived or, when `arrived` is undefined, is lost. */
  message?(from: PeerName, to: PeerName, bytes: number, sent: Milliseconds, arrived: Milliseconds | undefined): void
  work?(peer: PeerName, kind: string, start: Milliseconds, end: Milliseconds): void
  fault?(event: FaultEvent): void
}

/** The result of a simulation. */
export interface SimulationResult {
  /** Virtual time at the end. */
  readonly elapsed: Milliseconds
  readonly messages: number
  readonly bytes: number
  /** How many messages of each sender were rejected by their receivers; see `Fabric.reject`. */
  readonly rejected: ReadonlyMap<PeerName, number>
}

/** What each peer runs. An error ends the simulation; a {@link StoppedError} ends only this peer. */
export type PeerProgram<Message> = (fabric: Fabric<Message>) => Promise<void>
