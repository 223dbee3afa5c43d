import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Member, PeerRecord } from '@murmuration/membership'
import type { Agreement, Consensus } from './consensus.js'
import { laggardsOf, unfinished } from './of-others.js'
import type { Laggards } from './laggards.js'

/** A peer that has finished serves the others until all have, or none of them has made progress for a timeout. */
export class Finishing {
  readonly #member: Member
  readonly #self: PeerName
  readonly #timeout: Milliseconds
  readonly #laggards: Laggards
  #since: Milliseconds
  #others: readonly PeerRecord[] = []

  /** @param end - the round after the last */
  constructor(
    member: Member,
    self: PeerName,
    {
      end,
      every,
      timeout
    }: { readonly end: number; readonly every: number | undefined; readonly timeout: Milliseconds },
    now: Milliseconds
  ) {
    this.#member = member
    this.#self = self
    this.#timeout = timeout
    this.#laggards = laggardsOf(member, end, every)
    this.#since = now
  }

  /** Whether nobody needs this peer any longer. Called at every tick. */
  isOver(now: Milliseconds): boolean {
    this.#others = unfinished(this.#member, this.#self)
    if (this.#laggards.noteProgress(this.#others.map(({ name }) => name))) this.#since = now
    return this.#others.length === 0 || now - this.#since > this.#timeout
  }

  /** How this peer's final model compares with those of the contacts that have finished. */
  agreement(consensus: Consensus): Agreement {
    const contacts = new Set(this.#member.contacts)
    const finished = this.#member.finished.filter((peer) => contacts.has(peer))
    return { ...consensus.compare(finished), unfinished: this.#others.map(({ name }) => name) }
  }
}
