import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Member } from '@murmuration/membership'
import type { WaitLimits } from './participants.js'
import { type Waited, Waits } from './waits.js'

/** A wait that is longer than usual lasts at most this many times the run's `timeout`. */
const maxTimeouts = 16

/** What is known of the peers that are waited for, and to whom the lost time is charged. */
type Charged = Pick<Member, 'awake' | 'chainBehind'> & {
  lostTime(peer: PeerName, time: Milliseconds, timeout: Milliseconds): void
}

/**
 * How long a peer waits for others where they come and go: as long as rounds usually take, longer for those that wait
 * themselves.
 */
export class MemberWaits implements WaitLimits {
  readonly #waits = new Waits()
  readonly #members: Charged
  /** Since when rounds have ended at once without any message; undefined if they do not. */
  aloneSince: Milliseconds | undefined

  constructor(members: Charged) {
    this.#members = members
  }

  get alone(): ReadonlyMap<PeerName, Milliseconds> {
    return this.#waits.alone
  }

  untilReceived(
    round: { awaited(): readonly PeerName[] },
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds
  ): Milliseconds {
    return this.#until(round.awaited(), since, timeout, now, 1)
  }

  untilReplied(
    peer: PeerName,
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds,
    times: number
  ): Milliseconds {
    return this.#until([peer], since, timeout, now, times)
  }

  /** Longer if the awaited peers wait for others; time in which this process was suspended does not count. */
  #until(awaited: readonly PeerName[], since: Milliseconds, timeout: Milliseconds, now: Milliseconds, times: number) {
    const awake = this.#members.awake(now)
    this.#waits.setAwaited(awaited, awake)
    const chain = Math.max(0, ...awaited.map((peer) => this.#members.chainBehind(peer)))
    const usual = this.#waits.roundTimeout(timeout, chain)
    return now + since + Math.max(usual, Math.min(times * usual, maxTimeouts * timeout)) - awake
  }

  /**
   * Whoever has not sent is charged the time that it was waited for, whatever the reason, unless it has answered with
   * SKIP in time.
   */
  ended(
    { round, from }: { readonly round: number; readonly from: readonly PeerName[] },
    { without, skipped }: Pick<Waited, 'without' | 'skipped'>,
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds
  ): void {
    const roundTimeout = this.#waits.roundTimeout(timeout)
    const awake = this.#members.awake(now)
    const isAlone = from.length > 0 && without.length === from.length && awake - since < roundTimeout / 2
    this.aloneSince = isAlone ? (this.aloneSince ?? now) : undefined
    const lost = this.#waits.end(round, { from, without, skipped }, since, awake, roundTimeout)
    for (const [peer, time] of lost) this.#members.lostTime(peer, time, roundTimeout)
  }
}
