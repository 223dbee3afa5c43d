import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MembershipSettings } from './settings.js'

interface Strike {
  readonly times: number
  readonly until: Milliseconds
  readonly round: number
}

/** More doublings than this change nothing in a run. */
const maxDoublings = 20

/** Peers that missed the timeout. They stay out of its rows, each time for twice as long, whatever life they are in. */
export class Strikes {
  readonly #settings: MembershipSettings
  readonly #strikes = new Map<PeerName, Strike>()

  constructor(settings: MembershipSettings) {
    this.#settings = settings
  }

  /** Counts once in a round. */
  add(peer: PeerName, round: number, now: Milliseconds): void {
    const { strikeFor, forgiveAfter } = this.#settings
    const last = this.#strikes.get(peer)
    if (last?.round === round) return
    const forgiven = last === undefined ? 0 : Math.max(0, Math.floor((now - last.until) / forgiveAfter))
    const times = Math.min(maxDoublings, Math.max(0, (last?.times ?? 0) - forgiven))
    this.#strikes.set(peer, { times: times + 1, until: now + strikeFor * 2 ** times, round })
  }

  isStruck(peer: PeerName, now: Milliseconds): boolean {
    return (this.#strikes.get(peer)?.until ?? now) > now
  }

  /** Those that are out now, in the order of their names. */
  struck(now: Milliseconds): PeerName[] {
    return [...this.#strikes.keys()].filter((peer) => this.isStruck(peer, now)).sort()
  }
}
