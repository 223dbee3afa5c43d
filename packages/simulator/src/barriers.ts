import type { PeerName } from '@murmuration/core'
import type { FaultEvent } from './faults.js'

/** What can be held back: it knows from whom to whom it goes. */
interface Held {
  readonly connection: { readonly from: { readonly name: PeerName }; readonly to: { readonly name: PeerName } }
}

/** Partitions and clogged connections: who is cut off from whom, and what waits until that is over. */
export class Barriers<Item extends Held> {
  readonly #release: (item: Item) => void
  /** From whom to whom nothing passes. */
  readonly #clogged = new Map<PeerName, Set<PeerName>>()
  readonly #groups = new Map<PeerName, number>()
  #held: Item[] = []

  /** @param release - is given what was held back, in its order */
  constructor(release: (item: Item) => void) {
    this.#release = release
  }

  /** Whether nothing passes from one to the other. */
  isBetween(from: PeerName, to: PeerName): boolean {
    if (this.#clogged.get(from)?.has(to) === true) return true
    const group = this.#groups.get(from)
    return group !== undefined && (this.#groups.get(to) ?? group) !== group
  }

  /** Keeps an item until nothing is in its way. */
  hold(item: Item): void {
    this.#held.push(item)
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
      const { from, to } = item.connection
      if (this.isBetween(from.name, to.name)) this.#held.push(item)
      else this.#release(item)
    }
  }
}
