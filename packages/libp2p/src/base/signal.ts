import type { Milliseconds } from '@murmuration/core'
import { realClock } from './clock.js'

/**
 * Wakes waiting code. A notification without a waiter is lost, so check the condition, then wait, without an `await`
 * between the two.
 */
export class Signal {
  readonly #waiting = new Set<() => void>()

  /** Resolves all current waits. */
  notify(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves at the next notification, or when the clock shows `until`. */
  wait(until: Milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        callOff()
        this.#waiting.delete(wake)
        resolve()
      }
      const callOff = realClock.at(until, wake)
      this.#waiting.add(wake)
    })
  }
}
