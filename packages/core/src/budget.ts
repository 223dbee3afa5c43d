import type { Milliseconds } from './names.js'

/** The clock of a budget. */
interface BudgetClock {
  now(): Milliseconds
}

/** A token bucket: how much a neighbour may do at once and over time. */
export class Budget {
  readonly #clock: BudgetClock
  readonly #capacity: number
  readonly #interval: Milliseconds
  #tokens: number
  #filled: Milliseconds

  /**
   * @param capacity - the most tokens
   * @param interval - the time after which one token is added
   */
  constructor(clock: BudgetClock, capacity: number, interval: Milliseconds) {
    this.#clock = clock
    this.#capacity = capacity
    this.#interval = interval
    this.#tokens = capacity
    this.#filled = clock.now()
  }

  /** Spends tokens. Returns false when too few are left. */
  spend(amount = 1): boolean {
    const now = this.#clock.now()
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#filled) / this.#interval)
    this.#filled = now
    if (this.#tokens < amount) return false
    this.#tokens -= amount
    return true
  }
}
