import type { Milliseconds, Random } from '@murmuration/core'
import type { Limits } from '../base/constants.js'

/** How an attempt to connect ended. */
export interface AttemptEnd {
  readonly reason: string
  /** How long the link was up; absent when it never was. */
  readonly upFor?: Milliseconds
  /** Whether the machine refused the connection, because no process listens there. */
  readonly isRefusal?: boolean
}

/** When to dial a neighbour again: at once after a loss and after the first refusal, then with growing waits. */
export class Reconnection {
  readonly #limits: Pick<Limits, 'initialBackoff' | 'maxBackoff' | 'callWait'>
  readonly #random: Random
  #attempts = 0
  /** The number of consecutive links that were up only for a short time. */
  #short = 0
  #refusals = 0
  #wasUp = false

  constructor(limits: Pick<Limits, 'initialBackoff' | 'maxBackoff' | 'callWait'>, random: Random) {
    this.#limits = limits
    this.#random = random
  }

  /** The number of attempts since the last link that lasted. */
  get attempts(): number {
    return this.#attempts
  }

  /** Whether the machine has refused twice in a row, so that the neighbour's process does not run. */
  get isRefused(): boolean {
    return this.#refusals >= 2
  }

  /** Records the end of an attempt. */
  note({ upFor, isRefusal = false }: AttemptEnd): void {
    this.#refusals = isRefusal ? this.#refusals + 1 : 0
    if (upFor === undefined) {
      this.#attempts++
      return
    }
    this.#wasUp = true
    this.#short = upFor > this.#limits.maxBackoff ? 0 : this.#short + 1
    this.#attempts = Math.max(1, this.#short)
  }

  /** Forgets all attempts. */
  reset(): void {
    this.#attempts = 0
    this.#short = 0
    this.#refusals = 0
  }

  /**
   * How long to wait for the neighbour to dial first. It is short for one that was connected before, and for one that
   * refuses.
   */
  get callWait(): Milliseconds {
    const { initialBackoff, callWait } = this.#limits
    if (this.#refusals > 0) return 0
    return this.#wasUp ? Math.min(initialBackoff, callWait) : callWait
  }

  /**
   * The wait before the next attempt. It doubles each time; it is random within the upper half, so that peers do not
   * dial in step.
   */
  backoff(): Milliseconds {
    const { initialBackoff, maxBackoff } = this.#limits
    const doublings = this.#refusals === 1 ? 0 : Math.min(this.#attempts - 1, 30)
    const wait = Math.min(maxBackoff, initialBackoff * 2 ** doublings)
    return Math.round(wait * (0.5 + 0.5 * this.#random.uniform()))
  }
}

/** Whether a machine has refused the connection at all of its addresses. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isRefusal)
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ECONNREFUSED') || isRefusal(error.cause)
}
