import type { Milliseconds, PeerName } from '@murmuration/core'
import type { PeerRecord } from '@murmuration/membership'

interface RoundSight {
  readonly round: number
  readonly at: Milliseconds
  /** Rounds per millisecond; 0 until the peer was seen in two rounds. */
  readonly rate: number
}

/** A peer's report is at most this old when it arrives: two heartbeats. */
const oldest: Milliseconds = 1000

/** Which rounds others can have reached by now, from the rounds that they have reported. */
export class Pace {
  readonly #sights = new Map<PeerName, RoundSight>()

  observe(records: readonly Pick<PeerRecord, 'name' | 'round'>[], now: Milliseconds): void {
    for (const { name, round } of records) {
      const last = this.#sights.get(name)
      if (last?.round === round) continue
      const rate = last === undefined ? 0 : Math.max(0, (round - last.round) / Math.max(1, now - last.at))
      this.#sights.set(name, { round, at: now, rate })
    }
  }

  /**
   * The farthest round that a peer that has begun can have reached, if it is at most twice as fast as before; not
   * counting `donor`, unless it is the only one.
   */
  farthest(records: readonly Pick<PeerRecord, 'name' | 'isIn'>[], donor: PeerName, now: Milliseconds): number {
    const others = records.flatMap(({ name, isIn }) => (isIn ? name : []))
    const witnesses = others.length > 1 ? others.filter((peer) => peer !== donor) : others
    const sights = witnesses.flatMap((peer) => this.#sights.get(peer) ?? [])
    return Math.max(0, ...sights.map(({ round, at, rate }) => round + 2 * rate * (now - at + oldest)))
  }
}
