import type { Milliseconds } from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'

/** Measures the time in which at least one vector was queued, in flight or unacknowledged. */
export class SendingTime {
  readonly #clock: Pick<TimerClock, 'now'>
  #vectors = 0
  #since: Milliseconds = 0
  #total: Milliseconds = 0

  constructor(clock: Pick<TimerClock, 'now'>) {
    this.#clock = clock
  }

  /** To be called when a vector is queued. */
  begin(): void {
    if (this.#vectors++ === 0) this.#since = this.#clock.now()
  }

  /** To be called when a vector is acknowledged or given up. */
  end(): void {
    if (--this.#vectors === 0) this.#total += this.#clock.now() - this.#since
  }

  /** The total time until now. */
  get total(): Milliseconds {
    return this.#total + (this.#vectors > 0 ? this.#clock.now() - this.#since : 0)
  }
}
