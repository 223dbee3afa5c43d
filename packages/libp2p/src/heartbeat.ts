import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Clock } from './clock.js'
import type { Limits } from './constants.js'
import type { Neighbour } from './neighbour.js'
import type { OutgoingLink } from './outgoing-link.js'

/** What a heartbeat needs of a session with another peer. */
export interface Beating {
  readonly neighbour: Neighbour
  readonly outgoing: Pick<OutgoingLink, 'ping' | 'rest'>
  /** Cuts the connection: the peer was not heard for so long that it must be dead. */
  cut(): void
}

/** The neighbours that are asked as soon as they were not heard for a beat; of more, each may be quiet for longer. A ping costs about a millisecond. */
const fewNeighbours = 16

/**
 * Asks those neighbours at intervals whether they are there that were not heard lately, and notices those that are not heard any more. A ping and its
 * answer show both sides that the other is alive, so most of the time one side of a link asks.
 */
export class Heartbeat {
  readonly #limits: Limits
  readonly #sessions: ReadonlyMap<PeerName, Beating>
  readonly #clock: Clock
  #timer: NodeJS.Timeout | undefined
  #last = 0
  #beats = 0

  constructor(limits: Limits, sessions: ReadonlyMap<PeerName, Beating>, clock: Clock) {
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

  /** Looks after all neighbours once. */
  beat(): void {
    const now = this.#clock.now()
    const stalled = now - this.#last - this.#limits.heartbeat
    this.#last = now
    this.#ask()
    for (const session of this.#sessions.values()) {
      const { neighbour, outgoing } = session
      outgoing.rest()
      neighbour.faults.flush()
      // After a long computation on this thread, what the neighbours have said still waits to be read.
      if (stalled > this.#limits.heartbeat) neighbour.forgive(stalled)
      else this.#judge(session)
    }
  }

  /** Pings those that were not heard lately, and one of the others in turn, so that its round trip is known also while vectors come all the time. */
  #ask(): void {
    const standing = [...this.#sessions.values()].filter(({ neighbour }) => neighbour.stands)
    const quiet = this.#quiet(standing.length)
    const turn = this.#beats++ % standing.length
    for (const [index, { neighbour, outgoing }] of standing.entries()) {
      if (index === turn || neighbour.unheard >= quiet) outgoing.ping()
    }
  }

  /** How long a neighbour may be quiet before it is asked: it can miss an answer, and is not called silent for that. */
  #quiet(neighbours: number): Milliseconds {
    const { heartbeat, silentAfter } = this.#limits
    return Math.max(heartbeat, Math.min(silentAfter / 3, (heartbeat * neighbours) / fewNeighbours))
  }

  #judge(session: Beating): void {
    const { neighbour } = session
    neighbour.listen(this.#limits.silentAfter)
    if (neighbour.unheard < this.#limits.deadAfter || neighbour.gone) return
    // The next cut is due only after as long a silence again.
    neighbour.forgive(neighbour.unheard)
    session.cut()
  }
}
