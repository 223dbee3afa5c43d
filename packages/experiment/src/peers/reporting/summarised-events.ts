import type { PeerName } from '@murmuration/core'
import type { PeerSummary, RunEvent } from '../../base/events.js'
import { FirstOutliers } from './outlier-events.js'
import { SeenEnd } from './seen-end.js'
import { SeenEpochs } from './seen-epochs.js'

/** What the summary of a run takes from its events. */
export class SummarisedEvents {
  readonly #outliers = new FirstOutliers()
  readonly #epochs = new SeenEpochs()
  readonly #end = new SeenEnd()

  take(event: RunEvent): void {
    this.#outliers.take(event)
    this.#epochs.take(event)
    this.#end.take(event)
  }

  get figures(): Pick<PeerSummary, 'epochs' | 'lost' | 'ended'> & {
    readonly rounds?: number
    readonly outliers: readonly PeerName[]
  } {
    return { ...this.#epochs.figures, ...this.#end.figures, outliers: this.#outliers.names }
  }
}
