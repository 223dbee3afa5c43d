import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Knowledge } from './knowledge.js'
import type { Progress } from './own-record.js'
import { compareTexts } from './records.js'
import type { MembershipSettings } from './settings.js'
import { Strikes } from './strikes.js'
import type { OwnReports } from './view.js'

/** What a peer reports of its training. */
export interface MemberProgress {
  readonly round: number
  /** Samples processed in this run. */
  readonly samples: number
  /** Peers from which it waits for vectors now. */
  readonly waitsFor: readonly PeerName[]
  /** Peers with which an exchange is still open that it no longer waits for. */
  readonly owes: readonly PeerName[]
  /** Neighbours with which it has had no link yet; none when absent. */
  readonly unlinked?: readonly PeerName[] | undefined
  /** How many rounds lie between two exchanges with neighbours; 1 when absent. */
  readonly every?: number
  /** The peers of its rows, whether it keeps them out or not; all members when absent. */
  readonly neighbours?: readonly PeerName[]
}

/**
 * A peer that was kept out is told so many beats before it is taken in again: it sends nothing to those that keep it
 * out, and they would wait for nothing.
 */
const toldBefore = 2

/** What this peer's own training says of itself and of its neighbours. */
export class OwnReport {
  readonly strikes = new Strikes()
  #progress: MemberProgress = { round: 0, samples: 0, waitsFor: [], owes: [] }
  #waitsSince: Milliseconds | undefined
  /** At the last two beats. */
  #rounds: readonly [number, number] = [0, 0]

  constructor(
    readonly self: PeerName,
    readonly settings: MembershipSettings,
    readonly knowledge: Knowledge
  ) {}

  get round(): number {
    return this.#progress.round
  }

  /** The round at the beat before the last one: what others have told of their rounds is no older. */
  get roundBefore(): number {
    return this.#rounds[0]
  }

  /** How many rounds a peer may be behind: between two exchanges peers wait for no other. */
  get lag(): number {
    return this.settings.lag * (this.#progress.every ?? 1)
  }

  begin(round: number, unlinked?: readonly PeerName[]): void {
    this.#progress = { ...this.#progress, round, waitsFor: [], owes: [], unlinked }
    this.#waitsSince = undefined
  }

  /** Returns whether the pairs that cannot exchange have changed. */
  update(progress: MemberProgress, now: Milliseconds): boolean {
    const { owes, unlinked = [] } = this.#progress
    const hasChanged = String([progress.owes, progress.unlinked ?? []]) !== String([owes, unlinked])
    const isSameWait = progress.round === this.#progress.round && progress.waitsFor.length > 0
    this.#waitsSince = isSameWait ? (this.#waitsSince ?? now) : undefined
    this.#progress = progress
    return hasChanged
  }

  /**
   * The peers that this one keeps out of its rows now, in the order of their names (rule 10). None, if that were all
   * its living neighbours: then they more likely wait for this one, or all wait for the same one; and it would stand
   * still, as it does not train alone.
   */
  struck(now: Milliseconds): readonly PeerName[] {
    const struck = this.strikes.struck(now)
    if (struck.length === 0) return struck
    const { members, deadMembers } = this.knowledge
    const isLiving = (peer: PeerName) => members.includes(peer) && !deadMembers.has(peer)
    const { neighbours = members } = this.#progress
    const hasOthers = neighbours.some((peer) => peer !== this.self && isLiving(peer) && !struck.includes(peer))
    return hasOthers ? struck : []
  }

  /**
   * The peers that this one reports now.
   *
   * @param restless - those that came back too often
   */
  names(unreachable: readonly PeerName[], now: Milliseconds, restless: readonly PeerName[] = []): OwnReports {
    const { owes, unlinked = [] } = this.#progress
    const broken = [...new Set([...unreachable, ...owes, ...unlinked])].sort(compareTexts)
    const soon = now + toldBefore * this.settings.beat
    return { self: this.self, broken, silent: this.struck(soon), out: [...this.struck(now), ...restless] }
  }

  /** A beat: the content of the record. A wait is reported only once it is long: a changed record is sent to all. */
  beat(unreachable: readonly PeerName[], now: Milliseconds): Progress {
    const { round, samples, waitsFor } = this.#progress
    this.#rounds = [this.#rounds[1], round]
    const isStuck = this.#waitsSince !== undefined && now - this.#waitsSince >= this.settings.tellWaitAfter
    const { broken, silent } = this.names(unreachable, now)
    return { round, samples, broken, silent, waitsFor: isStuck ? waitsFor : [] }
  }
}
