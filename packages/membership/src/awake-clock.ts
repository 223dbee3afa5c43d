import type { Milliseconds } from '@murmuration/core'

/**
 * The time in which this process was awake. A process that is suspended receives nothing, and that says nothing about
 * the others: between two ticks the clock advances by at most two ticks. So the process's own stalls postpone every
 * deadline on this clock, even where a timer fires before the tick.
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
