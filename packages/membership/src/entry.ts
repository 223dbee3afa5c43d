import type { Milliseconds } from '@murmuration/core'
import type { OwnReport } from './own-report.js'
import { hasFinished, isGone, type PeerRecord } from './records.js'
import type { MembershipSettings } from './settings.js'
import { Start } from './start.js'

type OwnProgress = Pick<OwnReport, 'round' | 'lag'>

/**
 * How a peer joins the rounds: with its own state at the start, otherwise with another peer's; and when it has to join
 * again.
 */
export class Entry {
  /** How many peers are all that the run begins with: a larger quorum takes in invited ones. */
  readonly needed: number
  readonly #start: Start
  #hasBegun = false
  #isReady = false
  #waitsSince: Milliseconds | undefined
  #isTooLong = false
  /** Whether this process may continue from a state of its own: it starts for the first time, or from a checkpoint. */
  #hasOwnState = true
  /** The round of that state. */
  #ownRound: number

  /** @param startRound the round of a checkpoint, or 0 */
  constructor(
    readonly settings: MembershipSettings,
    peerCount: number,
    startRound: number,
    readonly hasCheckpoint: boolean
  ) {
    this.needed = Math.max(peerCount, settings.quorum ?? 0)
    this.#start = new Start(settings, this.needed)
    this.#ownRound = startRound
  }

  /** All peers continue from a checkpoint of this round. */
  resume(round: number): void {
    this.#ownRound = round
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  begin(): void {
    this.#hasBegun = true
  }

  /** Others know of an earlier process: the life that this one has begun is void. */
  restart(): void {
    this.#hasBegun = false
    this.#hasOwnState = this.hasCheckpoint
  }

  /**
   * Called at every tick. A single peer cannot keep others from starting: where fewer than `needed` have begun, and
   * give no state for `answerWithin`, the rest begins without it.
   */
  update(presentCount: number, begunCount: number, needed: number, at: Milliseconds): void {
    this.#isReady = this.#start.isReady(presentCount, at)
    const hasFew = this.#isReady && begunCount > 0 && begunCount < needed
    this.#waitsSince = hasFew ? (this.#waitsSince ?? at) : undefined
    this.#isTooLong = this.#waitsSince !== undefined && at - this.#waitsSince >= this.settings.answerWithin
  }

  /** @param median of the rounds of those that have begun; undefined when none has */
  mayBegin(median: number | undefined): boolean {
    if (this.#hasBegun) return false
    if (median === undefined) return this.#isReady
    return this.#isTooLong || (this.#hasOwnState && median <= this.#ownRound + this.settings.lag)
  }

  /** Whether to ask for a state: to join, or because a majority is more than `lag` rounds ahead. */
  needsState(median: number | undefined, own: OwnProgress, record: PeerRecord, isMain: boolean): boolean {
    if (median === undefined || hasFinished(record) || isGone(record)) return false
    if (!this.#hasBegun) return !this.mayBegin(median)
    return isMain && median - own.round > own.lag
  }
}
