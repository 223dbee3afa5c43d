import { Budget, type Milliseconds } from '@murmuration/core'
import { realClock } from '../clock.js'

/** The most questions of one source at once, and the time after which one more is allowed. */
const questions = 64
const questionEvery: Milliseconds = 1000
/** The most sources with a budget; beyond, the one that was first seen longest ago is forgotten. */
const maxSources = 4096

/** How often each source may ask: an answer costs signature checks. */
export class AskingBudgets {
  readonly #budgets = new Map<string, Budget>()

  /**
   * Whether a source may ask now.
   *
   * @param source - see {@link sourceOf}, or a peer id
   */
  spend(source: string): boolean {
    const budget = this.#budgets.get(source) ?? new Budget(realClock, questions, questionEvery)
    this.#budgets.set(source, budget)
    const [oldest] = this.#budgets.keys()
    if (this.#budgets.size > maxSources) this.#budgets.delete(oldest)
    return budget.spend()
  }
}
