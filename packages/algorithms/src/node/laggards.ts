import type { PeerName } from '@murmuration/core'

/**
 * Those that have not finished when this peer has. Each can come nearer to the end only so many times: by a round at least, and those that are
 * more than `lag` rounds behind take a state. So a peer that never ends, or says so, keeps nobody for long.
 */
export class Laggards {
  readonly #end: number
  readonly #lag: number
  readonly #roundOf: (peer: PeerName) => number
  readonly #farthest = new Map<PeerName, number>()

  /** @param end - the round after the last */
  constructor(end: number, lag: number, roundOf: (peer: PeerName) => number) {
    this.#end = end
    this.#lag = lag
    this.#roundOf = roundOf
  }

  /** Whether a peer has said that it has come to the end. */
  hasEnded(peer: PeerName): boolean {
    return this.#roundOf(peer) >= this.#end
  }

  /** Whether one of these is farther than ever. */
  comeNearer(peers: readonly PeerName[]): boolean {
    let isNearer = false
    for (const peer of peers) {
      const place = Math.max(0, this.#roundOf(peer) - (this.#end - 2 * this.#lag))
      if (this.hasEnded(peer) || place <= (this.#farthest.get(peer) ?? -1)) continue
      this.#farthest.set(peer, place)
      isNearer = true
    }
    return isNearer
  }
}
