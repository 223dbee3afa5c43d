/** Ending a run before all its rounds are over, when the peers' models are good enough or no longer get better. */
import type { GapPart } from '@murmuration/core'
import type { State } from '../record/record.js'
import { gapOf } from './gap.js'

/** When training ends; with several conditions, at the first that holds. Figures are medians over the peers. */
export interface StopConditions {
  /** The loss on the test set that is low enough. */
  readonly loss?: number | undefined
  /** The accuracy, 0 … 1, that is high enough. */
  readonly accuracy?: number | undefined
  /** After how many evaluations in a row without a lower loss than before. */
  readonly patience?: number | undefined
  /** The duality gap that is small enough, of the parts of all workers. One that lies can make it of any size. */
  readonly gap?: number | undefined
}

/** A rule, and when and how the peers apply it together. */
export interface StopSettings extends StopConditions {
  /** Models are evaluated after every so many rounds of the run. */
  readonly every: number
  /** In how many exchanges what one peer tells has reached all others. */
  readonly hops: number
  /** Of the workers' graph: see {@link gapOf}. With `gap` only, and then needed. */
  readonly contraction?: number | undefined
  /** What earlier epochs have found; this peer's own. Nothing when absent. */
  readonly history?: StopHistory | undefined
}

/** What a peer has measured after a round: the accuracy is 0 where the task has none; and its part of the gap. */
export type Figures = Readonly<Partial<Record<'loss' | 'accuracy' | keyof GapPart, number>>>

export type FigureName = keyof Figures

/** The figures that a rule needs. */
export function figureNames({ loss, accuracy, patience, gap }: StopConditions): readonly FigureName[] {
  const ofModel = [loss, accuracy, patience].some((each) => each !== undefined)
  return [
    ...(ofModel ? (['loss', 'accuracy'] as const) : []),
    ...(gap === undefined ? [] : (['value', 'slope', 'curvature', 'spread'] as const))
  ]
}

/** What all peers have together. */
export interface StopFindings {
  readonly loss?: number | undefined
  readonly accuracy?: number | undefined
  readonly gap?: number | undefined
}

/** The conditions of a rule. Peers tell each other their places in this list. */
const conditions = ['loss', 'accuracy', 'patience', 'gap'] as const

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
  if (kind === 'gap') return `the duality gap is ${figure}, and ${rule.gap} is small enough`
  return `the peers' median loss is ${figure}, and was no lower than before in ${rule.patience} evaluations`
}

/**
 * Medians: of two peers their mean, of three or more what one liar cannot move beyond what others say. And the duality
 * gap, where the parts of all workers are known.
 *
 * @param all - in the order of the workers, so that all add in the same one
 * @param workers - how many there are
 */
export function foundIn(all: readonly Figures[], workers: number, contraction?: number): StopFindings {
  const parts = all.filter((figures): figures is GapPart => figures.spread !== undefined)
  const areAll = contraction !== undefined && parts.length === workers
  return {
    loss: median(all.flatMap(({ loss = [] }) => loss)),
    accuracy: median(all.flatMap(({ accuracy = [] }) => accuracy)),
    gap: areAll ? gapOf(parts, contraction) : undefined
  }
}

function median(figures: readonly number[]): number | undefined {
  const sorted = [...figures].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle]
  return sorted.length === 0 ? undefined : (sorted[middle - 1] + sorted[middle]) / 2
}

/** What a peer has found so far. It does no I/O. */
export class StopHistory {
  stop: Stop | undefined
  #best = Number.POSITIVE_INFINITY
  #without = 0
  #concluded = -1

  /** Applies a rule to what the peers have measured after a round. */
  conclude(rule: StopConditions, evaluated: number, found: StopFindings): void {
    const { loss = Number.POSITIVE_INFINITY, accuracy = 0, gap = Number.POSITIVE_INFINITY } = found
    // In a new epoch rounds may be repeated.
    if (evaluated <= this.#concluded) return
    this.#concluded = evaluated
    this.#without = loss < this.#best ? 0 : this.#without + 1
    this.#best = Math.min(this.#best, loss)
    const met = {
      loss: rule.loss !== undefined && loss <= rule.loss,
      accuracy: rule.accuracy !== undefined && accuracy >= rule.accuracy,
      patience: rule.patience !== undefined && this.#without >= rule.patience,
      gap: rule.gap !== undefined && gap <= rule.gap
    }
    const condition = conditions.findIndex((each) => met[each])
    if (condition >= 0)
      this.take({ evaluated, condition, value: { loss, accuracy, patience: loss, gap }[conditions[condition]] })
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
