import type { PeerSummary, RunEvent } from '../../base/events.js'

/** Remembers in which round training ended before all its rounds were over, and why. */
export class SeenEnd {
  #ended: Pick<PeerSummary, 'rounds' | 'ended'> | undefined

  /** Takes an event. In a swarm each peer tells of the end. */
  take(event: RunEvent): void {
    if (event.kind !== 'step' || event.ends === undefined) return
    this.#ended ??= { rounds: event.round + 1, ended: event.ends }
  }

  /** For summaries: nothing where all rounds were trained. */
  get figures(): Pick<PeerSummary, 'rounds' | 'ended'> | undefined {
    return this.#ended
  }
}
