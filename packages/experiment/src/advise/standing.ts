import { isDeepStrictEqual } from 'node:util'
import type { SimulatedRecord } from '@murmuration/results'
import type { Candidate } from './candidates.js'
import { periodOf } from './choices.js'

/** A plan in the search. */
export interface SearchedPlan {
  readonly candidate: Candidate
  /** Its index in the scenario's methods. */
  readonly method: number
  /** Virtual seconds of final averaging. */
  readonly averaging: number
}

/** The outcome of an entry that was simulated for some rounds. */
export interface PlanOutcome {
  readonly entry: SearchedPlan
  /** The time until it has reached the loss and averaged; an estimate if it was cut off earlier. */
  readonly total: number
  readonly record: SimulatedRecord
}

/** The reference for the runs of a seed. */
export interface SeedReference {
  readonly target: number
  /** The minimum loss of plain SGD up to each of its evaluations, which are evenly spaced in rounds. */
  readonly losses: readonly number[]
}

/** The part of plain SGD's progress that defines the target. */
const targetProgress = 0.95

/** The scale of plain SGD's run. The loss at its end is the mean over the last tenth of its evaluations. */
export function scaleOf({ curve }: SimulatedRecord, target?: number): SeedReference {
  const losses = curve.map(({ loss }) => loss)
  const latest = losses.slice(-Math.ceil(losses.length / 10))
  const end = latest.reduce((sum, loss) => sum + loss, 0) / latest.length
  const [first] = losses
  const least = losses.map((_, k) => Math.min(...losses.slice(0, k + 1)))
  return { target: target ?? first - targetProgress * (first - end), losses: least }
}

/**
 * After few rounds, or with one seed, training times within this factor are not distinguishable. Times of final
 * averaging are exact.
 */
export const notApart = 1.25

/**
 * The training time, in virtual seconds, at which a plan is `times` as slow as one that ends at `bound`, less the
 * plan's final averaging.
 */
export const trainingWithin = (bound: number, { averaging }: SearchedPlan, times: number) => times * (bound - averaging)

/** Whether a plan's training time, as estimated, is less than that. */
export const isWithin = ({ total, entry }: PlanOutcome, bound: number, times: number) =>
  bound === Number.POSITIVE_INFINITY || total - entry.averaging < trainingWithin(bound, entry, times)

/**
 * If the loss was not reached, the time so far is divided by the progress: the steps that plain SGD takes to the same
 * loss, divided by those that it takes to the target. Losses fall fast at first, so the fraction of the loss would say
 * less.
 */
export function standingOf(entry: SearchedPlan, record: SimulatedRecord, scale: SeedReference): PlanOutcome {
  const { outcome, toTarget, curve, seconds } = record
  const { averaging } = entry
  if (outcome === 'failed') return { entry, record, total: Number.POSITIVE_INFINITY }
  if (toTarget !== undefined) return { entry, record, total: toTarget.seconds + averaging }
  const loss = curve.at(-1)?.loss ?? Number.POSITIVE_INFINITY
  const progress = stepsTo(loss, scale.losses) / stepsTo(scale.target, scale.losses)
  return { entry, record, total: progress > 0 ? seconds / progress + averaging : Number.POSITIVE_INFINITY }
}

/**
 * How many evaluations plain SGD takes to a loss, interpolated: 0 for a loss above the first, all for a loss that it
 * does not reach.
 */
function stepsTo(loss: number, losses: readonly number[]): number {
  const next = losses.findIndex((each) => each <= loss)
  if (next < 0) return losses.length
  if (next === 0) return losses[0] === loss ? 1 : 0
  const before = losses[next - 1]
  const after = losses[next]
  return next + (before - loss) / (before - after)
}

/** As {@link notApart}, for plans of one kind at different rates: high rates begin slowly. */
const alike = 1.5

/** Compares numbers; both may be infinite. */
export const compare = (left: number, right: number) => (left === right ? 0 : left < right ? -1 : 1)

export const ranked = (standings: readonly PlanOutcome[]) =>
  standings.toSorted((left, right) => compare(left.total, right.total))

/**
 * What plans of one kind have in common: the algorithm, the graph, the form of the exchange and the steps between
 * exchanges.
 */
export function kindOf({ candidate: { choice, graph } }: SearchedPlan): string {
  const { name, module, period, collective } = choice.algorithm
  return JSON.stringify([name, module, period, collective, choice.codec, graph])
}

/** Steps between two exchanges. The option `period` of the files' algorithm may mean something else. */
export const periodOfEntry = ({ candidate: { choice, isGiven } }: SearchedPlan) => (isGiven ? 1 : periodOf(choice))

/**
 * Whether a plan is the other, or differs from it only in that it exchanges less often, or has a lower rate, or both.
 */
export function learnsLess(entry: SearchedPlan, other: SearchedPlan): boolean {
  const { choice, graph } = entry.candidate
  const { choice: otherChoice, graph: otherGraph } = other.candidate
  return (
    periodOfEntry(entry) >= periodOfEntry(other) &&
    choice.rate <= otherChoice.rate &&
    choice.codec === otherChoice.codec &&
    graph === otherGraph &&
    isDeepStrictEqual({ ...choice.algorithm, period: 1 }, { ...otherChoice.algorithm, period: 1 })
  )
}

/** The best of each kind, and those that are not distinguishable from it. */
export function bestOfEach(standings: readonly PlanOutcome[]): readonly SearchedPlan[] {
  const best = new Map<string, PlanOutcome>()
  return standings.flatMap((standing) => {
    const { entry, total } = standing
    const bestOfKind = best.get(kindOf(entry)) ?? standing
    best.set(kindOf(entry), bestOfKind)
    return bestOfKind === standing || (total < Number.POSITIVE_INFINITY && isWithin(standing, bestOfKind.total, alike))
      ? entry
      : []
  })
}

/** By what factor a plan may learn faster at another rate: the ratio of neighbouring rates. */
const faster = 3

/**
 * Plans at other rates than the file's, of the kinds of which a plan may win: one less than `hopeless` times as slow as
 * `bound`. At a higher rate a plan learns faster by the ratio of the rates at best; at a lower one, no faster.
 */
export function otherRates(
  begun: readonly PlanOutcome[],
  entries: readonly SearchedPlan[],
  bound: number,
  hopeless: number
): readonly SearchedPlan[] {
  const kindsWithin = (times: number) =>
    new Set(
      begun.flatMap((each) =>
        each.total === Number.POSITIVE_INFINITY || isWithin(each, bound, times) ? kindOf(each.entry) : []
      )
    )
  const forLower = kindsWithin(hopeless)
  const forHigher = kindsWithin(faster * hopeless)
  const rateOf = ({ candidate }: SearchedPlan) => candidate.choice.rate
  const fileRate = rateOf(begun[0].entry)
  return entries.filter((entry) => {
    const isHigher = rateOf(entry) > fileRate
    return rateOf(entry) !== fileRate && (isHigher ? forHigher : forLower).has(kindOf(entry))
  })
}
