import type { PeerName } from '@murmuration/core'
import { realClock } from './clock.js'
import type { Limits } from './constants.js'
import type { Member } from './neighbourhood.js'

/** Tells the neighbours at intervals that this peer is alive, and notices those that are not heard any more. */
export class Heartbeat {
  readonly #limits: Limits
  readonly #members: () => Iterable<Member>
  readonly #cut: (name: PeerName) => void
  #timer: NodeJS.Timeout | undefined
  #last = 0

  /** @param cut - called for a neighbour that was not heard for so long that its connection must be dead */
  constructor(limits: Limits, members: () => Iterable<Member>, cut: (name: PeerName) => void) {
    this.#limits = limits
    this.#members = members
    this.#cut = cut
  }

  start(): void {
    this.#last = realClock.now()
    this.#timer = setInterval(() => this.#beat(), this.#limits.heartbeat)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #beat(): void {
    const now = realClock.now()
    const stalled = now - this.#last - this.#limits.heartbeat
    this.#last = now
    for (const { neighbour, outgoing } of this.#members()) {
      outgoing.ping()
      outgoing.rest()
      neighbour.faults.flush()
      // After a long computation on this thread, what the neighbours have said still waits to be read.
      if (stalled > this.#limits.heartbeat) neighbour.forgive(stalled)
      else this.#judge(neighbour)
    }
  }

  #judge(neighbour: Member['neighbour']): void {
    neighbour.listen(this.#limits.silentAfter)
    if (neighbour.unheard < this.#limits.deadAfter || neighbour.gone) return
    // The next cut is due only after as long a silence again.
    neighbour.forgive(neighbour.unheard)
    this.#cut(neighbour.name)
  }
}
