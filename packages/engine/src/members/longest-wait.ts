import type { Milliseconds } from '@murmuration/core'
import type { Member } from '@murmuration/membership'
import type { MembersFabric, MembersOptions } from './members-options.js'
import { othersMissing } from './missing.js'

/**
 * For how many timeouts a peer waits at least where others are there: a model that does not come in time is waited for
 * longer, up to 16 timeouts, and neighbours that were late stay out of its rows for several.
 */
const timeoutsWithOthers = 32

/** How long a peer waits before a round: for others to come, or for something of those that are there. */
export class LongestWait {
  readonly #wait: MembersOptions['wait']
  readonly #withOthers: Milliseconds
  readonly #afterEnd: Milliseconds
  readonly #start: Milliseconds
  /** Since when it waits for others to come. */
  #alone: Milliseconds

  /** @param timeout - of a round */
  constructor(wait: MembersOptions['wait'], now: Milliseconds, timeout: Milliseconds) {
    this.#wait = wait
    this.#withOthers = timeoutsWithOthers * timeout
    this.#afterEnd = 2 * timeout
    this.#start = this.#alone = now
  }

  /** Others are there. */
  met(now: Milliseconds): void {
    this.#alone = now
  }

  /** Whether it has waited for two timeouts for others to come. */
  isLongAlone(now: Milliseconds): boolean {
    return now - this.#alone > this.#afterEnd
  }

  /**
   * Which wait has been too long, in words; undefined if none has.
   *
   * @param hasBegun - whether this peer takes part in the run
   * @param what - what it waits for; undefined for others to come
   */
  exceeded(now: Milliseconds, hasBegun: boolean, what?: string): string | undefined {
    const { start, pause } = this.#wait
    const [longest, usual] = hasBegun ? [pause, 'to continue'] : [start, 'for the run to begin']
    const [since, limit] =
      what === undefined ? [this.#alone, longest] : [this.#start, Math.max(longest, this.#withOthers)]
    return now - since > limit ? `has waited ${limit / 1000} s ${what ?? usual}` : undefined
  }
}

/**
 * Throws where a peer has waited for too long, or is stopped.
 *
 * @param what - what it waits for; undefined for others to come
 */
export function checkWait(
  fabric: Pick<MembersFabric, 'self' | 'signal' | 'now'>,
  { state, missing }: Pick<Member, 'state' | 'missing'>,
  longest: LongestWait,
  what?: string
): void {
  fabric.signal.throwIfAborted()
  const waited = longest.exceeded(fabric.now(), state !== 'starting', what)
  if (waited !== undefined) throw othersMissing(fabric.self, waited, missing)
}
