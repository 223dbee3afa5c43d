import { Budget, type Milliseconds } from '@murmuration/core'
import { realClock } from './clock.js'

/** The most holders with a budget; beyond, the one that was first seen longest ago is forgotten. */
const maxHolders = 4096

/** A budget for each source or peer id. */
export class Budgets {
  readonly #capacity: number
  readonly #interval: Milliseconds
  readonly #budgets = new Map<string, Budget>()

  /** See {@link Budget}. */
  constructor(capacity: number, interval: Milliseconds) {
    this.#capacity = capacity
    this.#interval = interval
  }

  /**
   * Spends one token of a holder. Returns false when none is left.
   *
   * @param holder - see {@link sourceOf}, or a peer id
   */
  spend(holder: string): boolean {
    const budget = this.#budgets.get(holder) ?? new Budget(realClock, this.#capacity, this.#interval)
    this.#budgets.set(holder, budget)
    const [oldest] = this.#budgets.keys()
    if (this.#budgets.size > maxHolders) this.#budgets.delete(oldest)
    return budget.spend()
  }
}

/** How often each holder may ask: 64 times at once, then once a second. An answer costs signature checks. */
export const askingBudgets = () => new Budgets(64, 1000)
