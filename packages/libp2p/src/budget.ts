import type { Milliseconds } from '@murmuration/core'
import type { Clock } from './clock.js'

/** How much a neighbour may do at once and over time (a token bucket). */
export class Budget {
  readonly #clock: Clock
  readonly #capacity: number
  readonly #interval: Milliseconds
  #left: number
  #filled: Milliseconds

  /**
   * @param capacity - what may be spent at once
   * @param interval - after how long one more may be spent
   */
  constructor(clock: Clock, capacity: number, interval: Milliseconds) {
    this.#clock = clock
    this.#capacity = capacity
    this.#interval = interval
    this.#left = capacity
    this.#filled = clock.now()
  }

  /** Spends so much. Returns false when too little is left. */
  spend(amount = 1): boolean {
    const now = this.#clock.now()
    this.#left = Math.min(this.#capacity, this.#left + (now - this.#filled) / this.#interval)
    this.#filled = now
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }
}
