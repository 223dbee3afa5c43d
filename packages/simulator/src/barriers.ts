import type { PeerName } from '@murmuration/core'
import type { FaultEvent } from './faults.js'

/** A delivery that is held back: its ends, and how it continues. */
interface Held {
  readonly from: PeerName
  readonly to: PeerName
  release(): void
}

/**
 * Partitions and clogged connections: which peers are cut off from each other, and the deliveries that wait until that
 * ends.
 */
export class Barriers {
  /** By sender: the receivers that nothing reaches. */
  readonly #clogged = new Map<PeerName, Set<PeerName>>()
  readonly #groups = new Map<PeerName, number>()
  #held: Held[] = []

  /** Whether nothing passes from one to the other. */
  isBetween(from: PeerName, to: PeerName): boolean {
    if (this.#clogged.get(from)?.has(to) === true) return true
    const group = this.#groups.get(from)
    return group !== undefined && (this.#groups.get(to) ?? group) !== group
  }

  /** Calls `release` once the two can communicate. Deliveries continue in the order in which they were held. */
  hold(from: PeerName, to: PeerName, release: () => void): void {
    this.#held.push({ from, to, release })
  }

  apply(event: Extract<FaultEvent, { kind: 'partition' | 'heal' | 'clog' | 'unclog' }>): void {
    switch (event.kind) {
      case 'partition':
        this.#groups.clear()
        for (const [index, group] of event.groups.entries()) for (const peer of group) this.#groups.set(peer, index)
        break
      case 'heal':
        this.#groups.clear()
        break
      case 'clog':
        this.#clogged.set(event.from, (this.#clogged.get(event.from) ?? new Set()).add(event.to))
        break
      case 'unclog':
        this.#clogged.get(event.from)?.delete(event.to)
        break
    }
    this.#releaseUnblocked()
  }

  #releaseUnblocked(): void {
    const blocked = this.#held
    this.#held = []
    for (const item of blocked) {
      if (this.isBetween(item.from, item.to)) this.#held.push(item)
      else item.release()
    }
  }
}
