import type { Milliseconds, PeerName } from '@murmuration/core'
import type { SystemTimer, TimerClock } from '../base/clock.js'
import type { Limits } from '../base/constants.js'
import type { Neighbour } from './neighbour.js'
import type { OutgoingLink } from './outgoing-link.js'

/** What a heartbeat needs of a session with another peer. */
export interface MonitoredPeer {
  readonly neighbour: Neighbour
  readonly outgoing: Pick<OutgoingLink, 'ping' | 'closeIfIdle'>
  /** Cuts the connection, which is considered dead. */
  cut(): void
}

/**
 * Up to this many neighbours are pinged after one silent beat; with more, each may be silent for longer. A ping costs
 * about a millisecond.
 */
const fewNeighbours = 16

/**
 * Pings neighbours that have sent nothing recently, and detects those that do not answer. A ping and its answer show
 * both sides that the other is alive, so usually only one side of a link pings.
 */
export class Heartbeat {
  readonly #limits: Limits
  readonly #sessions: ReadonlyMap<PeerName, MonitoredPeer>
  readonly #clock: TimerClock
  #timer: SystemTimer | undefined
  #last = 0
  #beats = 0

  constructor(limits: Limits, sessions: ReadonlyMap<PeerName, MonitoredPeer>, clock: TimerClock) {
    this.#limits = limits
    this.#sessions = sessions
    this.#clock = clock
  }

  start(): void {
    this.#last = this.#clock.now()
    this.#timer = setInterval(() => this.beat(), this.#limits.heartbeat)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Checks all neighbours once. */
  beat(): void {
    const now = this.#clock.now()
    const stalled = now - this.#last - this.#limits.heartbeat
    this.#last = now
    this.#pingQuiet()
    for (const session of this.#sessions.values()) {
      const { neighbour, outgoing } = session
      outgoing.closeIfIdle()
      neighbour.faults.flush()
      // After a long computation on this thread, received messages are not read yet.
      if (stalled > this.#limits.heartbeat) neighbour.excuseStall(stalled)
      else this.#check(session)
    }
  }

  /**
   * Pings the quiet neighbours and, in turn, one of all, so that round trips are known also while vectors arrive
   * continuously.
   */
  #pingQuiet(): void {
    const connected = [...this.#sessions.values()].filter(({ neighbour }) => neighbour.isConnected)
    const quiet = this.#quietLimit(connected.length)
    const turn = this.#beats++ % connected.length
    for (const [index, { neighbour, outgoing }] of connected.entries()) {
      if (index === turn || neighbour.silentFor >= quiet) outgoing.ping()
    }
  }

  /** How long a neighbour may be quiet before it is pinged: one lost answer does not make it silent. */
  #quietLimit(neighbours: number): Milliseconds {
    const { heartbeat, silentAfter } = this.#limits
    return Math.max(heartbeat, Math.min(silentAfter / 3, (heartbeat * neighbours) / fewNeighbours))
  }

  #check(session: MonitoredPeer): void {
    const { neighbour } = session
    neighbour.checkSilence(this.#limits.silentAfter)
    if (neighbour.silentFor < this.#limits.deadAfter || neighbour.isUnavailable) return
    // The next cut comes only after another silence of this length.
    neighbour.excuseStall(neighbour.silentFor)
    session.cut()
  }
}
