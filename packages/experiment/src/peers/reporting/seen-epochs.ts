import type { PeerName } from '@murmuration/core'
import type { PeerSummary, RunEvent } from '../../base/events.js'

/** Counts the epochs that began after the first, and remembers who was a member and is none in the newest. */
export class SeenEpochs {
  readonly #numbers = new Set<number>()
  readonly #ever = new Set<PeerName>()
  #newest = 0
  #members: readonly PeerName[] = []

  /** Takes an event. In a swarm each member tells of each epoch, some later than others. */
  take(event: RunEvent): void {
    if (event.kind !== 'epoch') return
    this.#numbers.add(event.epoch)
    for (const peer of [...event.members, ...event.lost]) this.#ever.add(peer)
    if (event.epoch <= this.#newest) return
    this.#newest = event.epoch
    this.#members = event.members
  }

  /** For summaries: nothing, if no epoch began. */
  get figures(): Required<Pick<PeerSummary, 'epochs' | 'lost'>> | undefined {
    if (this.#numbers.size === 0) return undefined
    const lost = [...this.#ever].filter((peer) => !this.#members.includes(peer)).sort()
    return { epochs: this.#numbers.size, lost }
  }
}
