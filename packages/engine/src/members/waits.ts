import type { Milliseconds, PeerName } from '@murmuration/core'

/**
 * A wait is given up after this many usual rounds, and at least this many milliseconds. A round is here what lies
 * between two exchanges: in H rounds of training, a peer that is a little slower gets H times as far behind.
 */
const usualRounds = 4
const leastTimeout: Milliseconds = 5_000

/** The usual length is the median of at most the first number of rounds, and needs at least the second. */
const maxLengths = 15
const minLengths = 3

/** The peers of a collection, and those whose messages have not arrived. */
export interface Waited {
  readonly from: readonly PeerName[]
  readonly without: readonly PeerName[]
  /** Those of `without` that have answered with SKIP; none when absent. */
  readonly skipped?: readonly PeerName[] | undefined
}

/** A peer, and the time lost to it. */
type Lost = readonly [PeerName, Milliseconds]

const nothing: readonly Lost[] = []

/**
 * How long each peer was waited for in a round, and how long rounds usually are. Times are of a clock that stops while
 * the process is suspended.
 */
export class Waits {
  /** The peers that this one has waited for in the round, and when the wait for each ended. */
  readonly #ends = new Map<PeerName, Milliseconds | undefined>()
  /** The fewest rounds from one exchange to the next so far: where a peer has left out some, the time says nothing. */
  #every = Number.POSITIVE_INFINITY
  #lengths: Milliseconds[] = []
  readonly #alone = new Map<PeerName, Milliseconds>()
  #round = -1
  #roundAt: Milliseconds = 0

  /** Exactly these peers are waited for now. */
  setAwaited(awaited: readonly PeerName[], at: Milliseconds): void {
    for (const [peer, end] of this.#ends) if (end === undefined && !awaited.includes(peer)) this.#ends.set(peer, at)
    for (const peer of awaited) this.#ends.set(peer, undefined)
  }

  /**
   * How long this peer waits before it continues without others: at most the run's `timeout`, and longer by an eighth
   * for each peer of the chain.
   *
   * @param chain - how many peers wait one behind the other: each gives up a little before the next one
   */
  roundTimeout(timeout: Milliseconds, chain = 0): Milliseconds {
    const usual = this.#usual
    const limit = usual === undefined ? timeout : Math.min(timeout, Math.max(leastTimeout, usualRounds * usual))
    return limit * (1 + chain / 8)
  }

  get #usual(): Milliseconds | undefined {
    if (this.#lengths.length < minLengths) return undefined
    return [...this.#lengths].sort((left, right) => left - right)[this.#lengths.length >> 1]
  }

  /**
   * A wait has ended. Returns for each of `without` how long it was waited for beyond all others of `from`, whose
   * messages arrived, and beyond a usual round: an honest peer may begin the round and answer that much later. SKIP is
   * an answer: where many stall a little, as on a busy machine, such waits add up. It costs nothing within half of the
   * timeout of a round.
   *
   * @param since - when it began
   * @param roundTimeout - of this round
   */
  end(round: number, waited: Waited, since: Milliseconds, at: Milliseconds, roundTimeout = 0): readonly Lost[] {
    const lost = waited.without.length === 0 ? nothing : this.#lost(waited, since, at, roundTimeout)
    if (this.#ends.size > 0) this.#noteLast(since, at)
    this.#ends.clear()
    this.#measure(round, at)
    return lost
  }

  /**
   * The time for which each peer was waited for alone, all others being there already, whether its message came or not.
   */
  get alone(): ReadonlyMap<PeerName, Milliseconds> {
    return this.#alone
  }

  #noteLast(since: Milliseconds, at: Milliseconds) {
    let last: PeerName | undefined
    let lastEnd = since
    let endBefore = since
    for (const [peer, end = at] of this.#ends) {
      if (end <= lastEnd) {
        endBefore = Math.max(endBefore, end)
        continue
      }
      endBefore = lastEnd
      lastEnd = end
      last = peer
    }
    if (last !== undefined) this.#alone.set(last, (this.#alone.get(last) ?? 0) + lastEnd - endBefore)
  }

  #lost(
    { from, without, skipped = [] }: Waited,
    since: Milliseconds,
    at: Milliseconds,
    roundTimeout: Milliseconds
  ): Lost[] {
    const endOf = (peer: PeerName) => (this.#ends.has(peer) ? (this.#ends.get(peer) ?? at) : since)
    const last = Math.max(since, ...from.filter((peer) => !without.includes(peer)).map(endOf))
    return without
      .filter((peer) => !skipped.includes(peer) || endOf(peer) - since >= roundTimeout / 2)
      .map((peer): Lost => [peer, endOf(peer) - last - (this.#usual ?? 0)])
      .filter(([, time]) => time > 0)
  }

  #measure(round: number, at: Milliseconds): void {
    if (round === this.#round) return
    const gap = round - this.#round
    if (this.#round >= 0 && gap <= this.#every) {
      this.#every = gap
      this.#lengths = [...this.#lengths, at - this.#roundAt].slice(-maxLengths)
    }
    this.#round = round
    this.#roundAt = at
  }
}
