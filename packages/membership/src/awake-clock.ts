import type { Milliseconds } from '@murmuration/core'

/**
 * The time in which this process was awake. A process that stands still hears nobody, and that says nothing of the others: between two
 * ticks at most two ticks pass. So every deadline on this clock is put off by one's own stalls, also where a timer fires before the tick.
 */
export class AwakeClock {
  #awake: Milliseconds = 0
  #last: Milliseconds

  constructor(
    readonly tickLength: Milliseconds,
    now: Milliseconds
  ) {
    this.#last = now
  }

  tick(now: Milliseconds): void {
    this.#awake = this.at(now)
    this.#last = Math.max(this.#last, now)
  }

  at(now: Milliseconds): Milliseconds {
    return this.#awake + Math.min(Math.max(0, now - this.#last), 2 * this.tickLength)
  }
}
