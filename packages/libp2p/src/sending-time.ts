import type { Milliseconds } from '@murmuration/core'
import type { Clock } from './clock.js'

/** For how long at least one vector was under way: queued, on a link, or not acknowledged yet. */
export class SendingTime {
  readonly #clock: Pick<Clock, 'now'>
  #vectors = 0
  #since: Milliseconds = 0
  #total: Milliseconds = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** A vector is queued. */
  begin(): void {
    if (this.#vectors++ === 0) this.#since = this.#clock.now()
  }

  /** A vector is acknowledged, or was given up. */
  end(): void {
    if (--this.#vectors === 0) this.#total += this.#clock.now() - this.#since
  }

  /** Until now. */
  get total(): Milliseconds {
    return this.#total + (this.#vectors > 0 ? this.#clock.now() - this.#since : 0)
  }
}
