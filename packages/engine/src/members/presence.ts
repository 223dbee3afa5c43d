import type { Fabric, Milliseconds, PeerName } from '@murmuration/core'
import type { Route } from '../record/record.js'
import type { Members } from './members.js'
import { Refusals } from './refusals.js'
import { type Waited, Waits } from './waits.js'

const noPeers: readonly PeerName[] = []

/** A wait that is longer than usual lasts at most this many times the run's `timeout`. */
const maxTimeouts = 16

/** The part of the members that decides which peers are waited for. */
type MembersSeen = Pick<Members, 'awake' | 'chainBehind' | 'isGone' | 'laggards' | 'lostTime'> & {
  readonly knowledge: Pick<Members['knowledge'], 'isDead'>
}

/** Which peers are waited for: failure detection by timeouts. It does no I/O. */
export class Presence {
  /** Peers that missed a timeout or cannot be reached, and were not heard since. */
  #absent: Set<PeerName> | undefined
  /** All peers that this one has had to receive from, once they have differed. */
  #expected: Set<PeerName> | undefined
  /** The peers last expected; often the same again. */
  #last: readonly PeerName[] = noPeers
  /** Whether this peer continues when it hears no other: missing messages may have been lost. */
  mayBeAlone = false
  /** A round of others that is too far ahead of this peer's, if any. */
  tooFar: number | undefined
  /** How many messages have arrived. */
  messages = 0
  /** Since when rounds have ended at once without any message, if so; known where peers may come and go. */
  aloneSince: Milliseconds | undefined
  /** The knowledge of all peers, where they may come and go. */
  members: MembersSeen | undefined
  #refusals: Refusals | undefined
  #lengths: Waits | undefined

  /** The peers that have refused connections, where this is listened for. */
  get refusals(): Refusals {
    return (this.#refusals ??= new Refusals())
  }

  /** A message of this peer has arrived. */
  heard(peer: PeerName): void {
    this.messages++
    this.#absent?.delete(peer)
  }

  /** This peer cannot be reached now. */
  markAbsent(peer: PeerName): void {
    this.#absent ??= new Set()
    this.#absent.add(peer)
  }

  /** A round has ended that waited for messages of `expected`; those of `missing` did not arrive. */
  note({ from: expected }: Pick<Route, 'from'>, missing: readonly PeerName[]): void {
    if (expected !== this.#last) this.#expect(expected)
    for (const peer of missing) this.markAbsent(peer)
  }

  #expect(expected: readonly PeerName[]): void {
    if (this.#expected !== undefined || this.#last.length > 0) {
      this.#expected ??= new Set(this.#last)
      for (const peer of expected) this.#expected.add(peer)
    }
    this.#last = expected
  }

  get #areAllPresent(): boolean {
    return this.#absent === undefined || this.#absent.size === 0
  }

  /** How long waits took; used where peers may come and go. */
  get #waits(): Waits {
    return (this.#lengths ??= new Waits())
  }

  /**
   * A wait of a round has ended, where peers may come and go. The peers of `without`, whose messages have not arrived, are charged the time that they
   * were waited for, whatever the reason, but for those of `skipped` that have answered in time with SKIP.
   *
   * @param since - when the wait began, by the clock that stops while this process is suspended
   */
  account(
    { fabric, timeout }: { readonly fabric: Pick<Fabric<unknown>, 'now'>; readonly timeout: Milliseconds },
    { round, from }: Pick<Route, 'round' | 'from'>,
    { without, skipped }: Pick<Waited, 'without' | 'skipped'>,
    since: Milliseconds
  ): void {
    const { members } = this
    if (members === undefined) return
    const roundTimeout = this.#waits.roundTimeout(timeout)
    const now = members.awake(fabric.now())
    const isAlone = from.length > 0 && without.length === from.length && now - since < roundTimeout / 2
    this.aloneSince = isAlone ? (this.aloneSince ?? fabric.now()) : undefined
    const lost = this.#waits.end(round, { from, without, skipped }, since, now, roundTimeout)
    for (const [peer, time] of lost) members.lostTime(peer, time, roundTimeout)
  }

  /** For how long each peer was waited for alone; known where peers may come and go. */
  get waitedFor(): ReadonlyMap<PeerName, Milliseconds> {
    return this.#waits.alone
  }

  /** Whether a peer is waited for. */
  isAwaited(peer: PeerName): boolean {
    return this.#absent?.has(peer) !== true && this.members?.isGone(peer) !== true
  }

  /** Whether a peer is known to be dead: it will send nothing more. */
  isDead(peer: PeerName): boolean {
    return this.members?.knowledge.isDead(peer) === true
  }

  /**
   * Until when peers are waited for, where they may come and go: longer if they wait for others, and not counting time in which this process was
   * suspended.
   *
   * @param since - when the wait began, by the clock that stops while this process is suspended
   * @param times - how many times as long as usual to wait
   */
  until(
    awaited: readonly PeerName[],
    since: Milliseconds,
    timeout: Milliseconds,
    now: Milliseconds,
    times = 1
  ): Milliseconds {
    const { members } = this
    if (members === undefined) return now
    const awake = members.awake(now)
    this.#waits.setAwaited(awaited, awake)
    const chain = Math.max(0, ...awaited.map((peer) => members.chainBehind(peer)))
    const usual = this.#waits.roundTimeout(timeout, chain)
    return now + since + Math.max(usual, Math.min(times * usual, maxTimeouts * timeout)) - awake
  }

  /** Whether any of these peers but those in `come` is worth waiting for. */
  isAnyPresent(peers: readonly PeerName[], arrived?: { has(peer: PeerName): boolean }): boolean {
    if (this.#areAllPresent && this.members === undefined) return true
    if (
      this.mayBeAlone &&
      this.members === undefined &&
      arrived !== undefined &&
      !peers.some((peer) => arrived.has(peer))
    )
      return true
    return peers.some((peer) => this.isAwaited(peer) && arrived?.has(peer) !== true)
  }

  /** Whether any peer of any round may still send. */
  get isAnyLeft(): boolean {
    return this.mayBeAlone || this.isAnyPresent(this.#expected === undefined ? this.#last : [...this.#expected])
  }
}
