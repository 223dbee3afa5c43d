import type { PeerName } from '@murmuration/core'
import type { PeerRecord } from '@murmuration/membership'

/**
 * Those that have not finished when this peer has. Each can come nearer to the end only so many times: by a round at least, and those that are
 * more than `lag` rounds behind take a state. So a peer that never ends, or says so, keeps nobody for long.
 */
export class Laggards {
  readonly #end: number
  readonly #lag: number
  readonly #farthest = new Map<PeerName, number>()

  /** @param end - the round after the last */
  constructor(end: number, lag: number) {
    this.#end = end
    this.#lag = lag
  }

  /** Whether one of these is farther than ever. */
  comeNearer(records: readonly Pick<PeerRecord, 'name' | 'round'>[]): boolean {
    let isNearer = false
    for (const { name, round } of records) {
      const place = Math.max(0, round - (this.#end - 2 * this.#lag))
      if (round >= this.#end || place <= (this.#farthest.get(name) ?? -1)) continue
      this.#farthest.set(name, place)
      isNearer = true
    }
    return isNearer
  }
}
