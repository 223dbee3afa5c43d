import type { Milliseconds } from '@murmuration/core'

/** How a peer has spent its time. */
export interface TimeTotals {
  /** Computing. */
  readonly working: Milliseconds
  /** Sending, but not computing. */
  readonly sending: Milliseconds
  /** Neither. */
  readonly waiting: Milliseconds
}

/** Accounts for one peer's time. */
export class TimeUse {
  #working = 0
  #sending = 0
  #waiting = 0
  #since = 0
  #works = 0
  #transfers = 0

  /** A work begins (1) or ends (−1) now. */
  work(now: Milliseconds, change: 1 | -1): void {
    this.#pass(now)
    this.#works += change
  }

  /** A transfer begins (1) or ends (−1) now. */
  transfer(now: Milliseconds, change: 1 | -1): void {
    this.#pass(now)
    this.#transfers += change
  }

  /** Nothing is computed or sent any longer, as after a crash. */
  clear(now: Milliseconds): void {
    this.#pass(now)
    this.#works = 0
    this.#transfers = 0
  }

  /** The totals until now. */
  totals(now: Milliseconds): TimeTotals {
    this.#pass(now)
    return { working: this.#working, sending: this.#sending, waiting: this.#waiting }
  }

  #pass(now: Milliseconds): void {
    const time = now - this.#since
    this.#since = now
    if (this.#works > 0) this.#working += time
    else if (this.#transfers > 0) this.#sending += time
    else this.#waiting += time
  }
}
