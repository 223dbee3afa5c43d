import type { PeerName, StepReport } from '@murmuration/core'
import type { OutlierEvent, RunEvent } from '../../base/events.js'

/** A neighbour is not reported again within so many rounds. */
const quietRounds = 100

/** The outliers in a peer's steps as events: at most one per neighbour and hundred rounds. */
export class OutlierEvents {
  readonly #self: PeerName
  readonly #lastReports = new Map<PeerName, number>()

  constructor(self: PeerName) {
    this.#self = self
  }

  of({ outliers }: Pick<StepReport, 'outliers'>): readonly OutlierEvent[] {
    const fresh = outliers.filter(
      ({ neighbour, round }) => round - (this.#lastReports.get(neighbour) ?? -quietRounds) >= quietRounds
    )
    for (const { neighbour, round } of fresh) this.#lastReports.set(neighbour, round)
    return fresh.map((outlier) => ({ kind: 'outlier', peer: this.#self, ...outlier }))
  }
}

/**
 * Remembers the outliers of the earliest round in which any peer reported one: the fault began there, or near there.
 */
export class FirstOutliers {
  #round = Number.POSITIVE_INFINITY
  readonly #names = new Set<PeerName>()

  take(event: RunEvent): void {
    if (event.kind !== 'outlier' || event.round > this.#round) return
    if (event.round < this.#round) this.#names.clear()
    this.#round = event.round
    this.#names.add(event.neighbour)
  }

  get names(): readonly PeerName[] {
    return [...this.#names].sort()
  }
}
