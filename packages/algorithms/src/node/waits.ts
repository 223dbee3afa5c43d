import type { Milliseconds, PeerName } from '@murmuration/core'

/** A round of so many usual ones, and of so many milliseconds, is long enough to give a wait up. */
const usualRounds = 4
const leastTimeout: Milliseconds = 5_000

/** Of so many rounds the usual length is taken, and from so few on. */
const [maxLengths, minLengths] = [15, 3]

/** Whose messages were collected, and whose have not come. */
interface Waited {
  readonly from: readonly PeerName[]
  readonly without: readonly PeerName[]
}

/** A peer, and the time that was lost to it. */
type Lost = readonly [PeerName, Milliseconds]

const nothing: readonly Lost[] = []

/** How long each peer was waited for in a round, and how long rounds usually are. Times are of a clock that stands while the process does. */
export class Waits {
  /** Whom this peer has waited for in the round, and when it no longer did. */
  readonly #ends = new Map<PeerName, Milliseconds | undefined>()
  #lengths: Milliseconds[] = []
  #round = -1
  #roundAt: Milliseconds = 0

  /** These are waited for now, and nobody else. */
  look(awaited: readonly PeerName[], at: Milliseconds): void {
    for (const [peer, end] of this.#ends) if (end === undefined && !awaited.includes(peer)) this.#ends.set(peer, at)
    for (const peer of awaited) this.#ends.set(peer, undefined)
  }

  /**
   * How long this peer waits before it goes on without others: no longer than the run's `timeout`, or half as much again.
   *
   * @param chain - how many peers stand one behind the other in the wait: each gives up a little before the next one
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
   * A wait is over. How long each of `without` was waited for beyond all others of `from`, whose message came, and beyond a usual round: so
   * much later an honest peer may begin the round, and answer.
   *
   * @param since - when it began
   */
  end(round: number, { from, without }: Waited, since: Milliseconds, at: Milliseconds): readonly Lost[] {
    const lost = without.length === 0 ? nothing : this.#lost(from, without, since, at)
    this.#ends.clear()
    this.#measure(round, at)
    return lost
  }

  #lost(from: readonly PeerName[], without: readonly PeerName[], since: Milliseconds, at: Milliseconds): Lost[] {
    const endOf = (peer: PeerName) => (this.#ends.has(peer) ? (this.#ends.get(peer) ?? at) : since)
    const last = Math.max(since, ...from.filter((peer) => !without.includes(peer)).map(endOf))
    return without.map((peer): Lost => [peer, endOf(peer) - last - (this.#usual ?? 0)]).filter(([, time]) => time > 0)
  }

  #measure(round: number, at: Milliseconds): void {
    if (round === this.#round) return
    if (round === this.#round + 1) this.#lengths = [...this.#lengths, at - this.#roundAt].slice(-maxLengths)
    this.#round = round
    this.#roundAt = at
  }
}
