import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MembersOptions } from './members-options.js'

/** Others that can give a peer their model are asked for so many times as long: one that does not come in time is waited for longer, up to 16 timeouts. */
const timesForModel = 32

/** How long a peer waits before a round: for others to come, or for the model of one that is there. */
export class Patience {
  readonly #wait: MembersOptions['wait']
  readonly #start: Milliseconds
  /** Since when no other could be asked. */
  #alone: Milliseconds

  constructor(wait: MembersOptions['wait'], now: Milliseconds) {
    this.#wait = wait
    this.#start = this.#alone = now
  }

  /** Another peer was asked for its model, and has not given it. */
  asked(now: Milliseconds): void {
    this.#alone = now
  }

  /**
   * Which wait has been too long, in words; undefined if none has.
   *
   * @param hasBegun - whether this peer takes part in the run
   * @param donor - a peer that could give this one its model
   */
  exceeded(now: Milliseconds, hasBegun: boolean, donor: PeerName | undefined): string | undefined {
    const { start, pause } = this.#wait
    const [longest, what] = hasBegun ? [pause, 'to continue'] : [start, 'for the run to begin']
    const [since, limit] = donor === undefined ? [this.#alone, longest] : [this.#start, timesForModel * longest]
    if (now - since <= limit) return undefined
    return `has waited ${limit / 1000} s ${donor === undefined ? what : `for the model of ${donor}`}`
  }
}
