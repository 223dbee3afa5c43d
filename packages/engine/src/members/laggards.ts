import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Endings } from './participants.js'

/**
 * The peers that have not finished when this one has. Each can make progress only a limited number of times: by at
 * least one round, and peers more
 * than `lag` rounds behind take a state. So a peer that never ends, or claims not to have, holds up no peer for long.
 */
export class Laggards implements Endings {
  readonly checkEvery: Milliseconds = 250
  readonly #end: number
  readonly #lag: number
  readonly #roundOf: (peer: PeerName) => number
  readonly #farthestProgress = new Map<PeerName, number>()

  /** @param end - the round after the last */
  constructor(end: number, lag: number, roundOf: (peer: PeerName) => number) {
    this.#end = end
    this.#lag = lag
    this.#roundOf = roundOf
  }

  /**
   * All report their rounds. A neighbour that waits for a slow peer does not begin the next round, and would be blamed.
   */
  visible(_: readonly PeerName[], all: readonly PeerName[]): readonly PeerName[] {
    return all
  }

  /** Whether a peer has reported that it has reached the end. */
  hasEnded(peer: PeerName): boolean {
    return this.#roundOf(peer) >= this.#end
  }

  /** Whether one of these has got further than ever before. */
  noteProgress(peers: readonly PeerName[]): boolean {
    let isNearer = false
    for (const peer of peers) {
      const progress = Math.max(0, this.#roundOf(peer) - (this.#end - 2 * this.#lag))
      if (this.hasEnded(peer) || progress <= (this.#farthestProgress.get(peer) ?? -1)) continue
      this.#farthestProgress.set(peer, progress)
      isNearer = true
    }
    return isNearer
  }
}
