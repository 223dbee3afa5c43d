import type { PeerName } from '@murmuration/core'
import type { PeerSummary, RunEvent } from '../../base/events.js'
import { FirstOutliers } from './outlier-events.js'
import { SeenEpochs } from './seen-epochs.js'

/** What the summary of a run takes from its events. */
export class SummarisedEvents {
  readonly #outliers = new FirstOutliers()
  readonly #epochs = new SeenEpochs()

  take(event: RunEvent): void {
    this.#outliers.take(event)
    this.#epochs.take(event)
  }

  get figures(): Pick<PeerSummary, 'epochs' | 'lost'> & { readonly outliers: readonly PeerName[] } {
    return { ...this.#epochs.figures, outliers: this.#outliers.names }
  }
}
