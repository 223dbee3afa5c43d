import type { Milliseconds, PeerName } from '@murmuration/core'
import type { PeerRecord } from '@murmuration/membership'

interface RoundSight {
  readonly round: number
  readonly at: Milliseconds
  /** Rounds per millisecond; 0 until the peer was seen in two rounds. */
  readonly rate: number
}

/** The rate follows from reports that are at least this far apart: those of one moment say nothing about it. */
const leastGap: Milliseconds = 100
/** A peer's report is at most this old when it arrives: two heartbeats. */
const oldest: Milliseconds = 1000

/** Which rounds others can have reached by now, from the rounds that they have reported. */
export class Pace {
  readonly #sights = new Map<PeerName, RoundSight>()

  observe(records: readonly Pick<PeerRecord, 'name' | 'round'>[], now: Milliseconds): void {
    for (const { name, round } of records) {
      const last = this.#sights.get(name)
      if (last?.round === round) continue
      this.#sights.set(name, { round, at: now, rate: rateOf(last, round, now) })
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

  /**
   * The round in which most that have begun are at a time: the upper median, so that no single liar moves it.
   *
   * @param farthest - how many rounds beyond its report a peer is at most taken to be
   */
  expected(records: readonly Pick<PeerRecord, 'name' | 'isIn'>[], at: Milliseconds, farthest: number): number {
    const sights = records.flatMap(({ name, isIn }) => (isIn ? (this.#sights.get(name) ?? []) : []))
    const rounds = sights.map((sight) => sight.round + Math.min(farthest, Math.floor(sight.rate * (at - sight.at))))
    return rounds.sort((left, right) => left - right).at(rounds.length >> 1) ?? 0
  }
}

function rateOf(last: RoundSight | undefined, round: number, now: Milliseconds): number {
  if (last === undefined) return 0
  const gap = now - last.at
  return gap < leastGap ? last.rate : Math.max(0, (round - last.round) / gap)
}
