/** Ending a run before all its rounds are over, when the peers' models are good enough or no longer get better. */
import type { State } from '../record/record.js'

/** When training ends; with several conditions, at the first that holds. Figures are medians over the peers. */
export interface StopConditions {
  /** The loss on the test set that is low enough. */
  readonly loss?: number | undefined
  /** The accuracy, 0 … 1, that is high enough. */
  readonly accuracy?: number | undefined
  /** After how many evaluations in a row without a lower loss than before. */
  readonly patience?: number | undefined
}

/** A rule, and when and how the peers apply it together. */
export interface StopSettings extends StopConditions {
  /** Models are evaluated after every so many rounds of the run. */
  readonly every: number
  /** In how many exchanges what one peer tells has reached all others. */
  readonly hops: number
  /** What earlier epochs have found; this peer's own. Nothing when absent. */
  readonly history?: StopHistory | undefined
}

/** What a peer, or all of them, have measured after a round. */
export interface Figures {
  readonly loss: number
  /** 0 where the task has none. */
  readonly accuracy: number
}

/** The conditions of a rule. Peers tell each other their places in this list. */
const conditions = ['loss', 'accuracy', 'patience'] as const

/** A decision that all follow. Rounds are those of the run, over all epochs. */
export interface Stop {
  /** The round whose models were evaluated. */
  readonly evaluated: number
  /** The place of the condition in {@link conditions}. */
  readonly condition: number
  /** The figure that met it. */
  readonly value: number
}

/** How many conditions there are. */
export const conditionCount = conditions.length

/** Why training ends, for people. */
export function stopText({ condition, value }: Stop, rule: StopConditions): string {
  const figure = Number(value.toPrecision(3))
  const kind = conditions[condition]
  if (kind === 'loss') return `the peers' median loss is ${figure}, and ${rule.loss} is low enough`
  if (kind === 'accuracy') return `the peers' median accuracy is ${figure}, and ${rule.accuracy} is high enough`
  return `the peers' median loss is ${figure}, and was no lower than before in ${rule.patience} evaluations`
}

/** The median: of two peers their mean, of three or more what one liar cannot move beyond what others say. */
export function medianFigures(all: readonly Figures[]): Figures {
  const median = (figureOf: (figures: Figures) => number) => {
    const sorted = all.map(figureOf).sort((left, right) => left - right)
    const middle = sorted.length >> 1
    return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
  return { loss: median(({ loss }) => loss), accuracy: median(({ accuracy }) => accuracy) }
}

/** What a peer has found so far. It does no I/O. */
export class StopHistory {
  stop: Stop | undefined
  #best = Number.POSITIVE_INFINITY
  #without = 0
  #concluded = -1

  /** Applies a rule to what the peers have measured after a round. */
  conclude(rule: StopConditions, evaluated: number, { loss, accuracy }: Figures): void {
    // In a new epoch rounds may be repeated.
    if (evaluated <= this.#concluded) return
    this.#concluded = evaluated
    this.#without = loss < this.#best ? 0 : this.#without + 1
    this.#best = Math.min(this.#best, loss)
    const met = {
      loss: rule.loss !== undefined && loss <= rule.loss,
      accuracy: rule.accuracy !== undefined && accuracy >= rule.accuracy,
      patience: rule.patience !== undefined && this.#without >= rule.patience
    }
    const condition = conditions.findIndex((each) => met[each])
    if (condition >= 0)
      this.take({ evaluated, condition, value: conditions[condition] === 'accuracy' ? accuracy : loss })
  }

  /** Of two decisions the earlier one counts. */
  take(stop: Stop): void {
    if (stop.evaluated < (this.stop?.evaluated ?? Number.POSITIVE_INFINITY)) this.stop = stop
  }

  saved(): State {
    const { evaluated = -1, condition = 0, value = 0 } = this.stop ?? {}
    return { best: this.#best, without: this.#without, concluded: this.#concluded, evaluated, condition, value }
  }

  restore({ best, without, concluded, evaluated, condition, value }: Readonly<Record<string, number>>): void {
    this.#best = best
    this.#without = without
    this.#concluded = concluded
    this.stop = evaluated < 0 ? undefined : { evaluated, condition, value }
  }
}
