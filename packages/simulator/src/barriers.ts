import type { PeerName } from '@murmuration/core'
import type { FaultEvent } from './faults.js'

/** What is held back: from whom to whom it goes, and how it goes on. */
interface Held {
  readonly from: PeerName
  readonly to: PeerName
  release(): void
}

/** Partitions and clogged connections: who is cut off from whom, and what waits until that is over. */
export class Barriers {
  /** From whom to whom nothing passes. */
  readonly #clogged = new Map<PeerName, Set<PeerName>>()
  readonly #groups = new Map<PeerName, number>()
  #held: Held[] = []

  /** Whether nothing passes from one to the other. */
  isBetween(from: PeerName, to: PeerName): boolean {
    if (this.#clogged.get(from)?.has(to) === true) return true
    const group = this.#groups.get(from)
    return group !== undefined && (this.#groups.get(to) ?? group) !== group
  }

  /** Calls `release` once nothing is between the two. What is held back goes on in its order. */
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
    this.#letGo()
  }

  #letGo(): void {
    const held = this.#held
    this.#held = []
    for (const item of held) {
      if (this.isBetween(item.from, item.to)) this.#held.push(item)
      else item.release()
    }
  }
}
