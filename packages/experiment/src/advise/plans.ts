import type { LinksDescription } from '@murmuration/files'
import type { SimulatedRecord } from '@murmuration/results'
import { median } from 'simple-statistics'
import { type RatioInterval, ratioInterval } from '../base/ratio-interval.js'
import type { Computing } from '../sim/scenario/computing.js'
import type { Candidate } from './candidates.js'
import { compare, type SearchedPlan } from './standing.js'

/** A plan, and its outcome. Times are virtual seconds. */
export interface AdvisedPlan extends Omit<Candidate, 'method'> {
  /**
   * For each seed, the time until the mean model reached the loss; infinite if the rounds of the training file were not
   * enough.
   */
  readonly reached: readonly number[]
  /**
   * The same for each fresh seed, none of which has chosen anything; empty for plans that were not measured with them.
   */
  readonly fresh: readonly number[]
  /** The time of the final averaging rounds after that. */
  readonly averaging: number
  /**
   * Bytes that a peer sent until then, without final averaging, with the first seed; undefined if the loss was not
   * reached.
   */
  readonly bytes: number | undefined
}

/** A plan with the outcomes of its runs, one per seed. */
export function planOf({ averaging, candidate }: SearchedPlan, records: readonly SimulatedRecord[]): AdvisedPlan {
  const { method: _, ...shown } = candidate
  const [first] = records
  const bytes = first?.toTarget === undefined ? undefined : first.toTarget.bytes / first.peers
  return { ...shown, averaging, bytes, reached: reachedOf(records), fresh: [] }
}

/** When each run reached the loss. */
export const reachedOf = (records: readonly SimulatedRecord[]): readonly number[] =>
  records.map(({ toTarget }) => toTarget?.seconds ?? Number.POSITIVE_INFINITY)

/**
 * The time until a plan has reached the loss and averaged after that: the median over the fresh seeds if it was
 * measured with them, and over the seeds for choosing otherwise.
 */
export const totalOf = (plan: AdvisedPlan): number => median([...secondsOf(plan)])

/** The times of which {@link totalOf} is the median. */
export const secondsOf = ({ reached, fresh, averaging }: AdvisedPlan): readonly number[] =>
  (fresh.length > 0 ? fresh : reached).map((seconds) => seconds + averaging)

/** With how many seeds a plan did not reach the loss. */
export const missesOf = ({ reached, fresh }: AdvisedPlan): number =>
  [...reached, ...fresh].filter((seconds) => !Number.isFinite(seconds)).length

/**
 * How many times as long a plan takes as another, over the fresh seeds; undefined if one of them was not measured with
 * these, or missed the loss with one.
 */
export function timesAsLong(plan: AdvisedPlan, other: AdvisedPlan): RatioInterval | undefined {
  const isMeasured = [plan, other].every(({ fresh }) => fresh.length > 1 && fresh.every(Number.isFinite))
  return isMeasured ? ratioInterval(secondsOf(plan), secondsOf(other)) : undefined
}

/**
 * Plans that missed the loss with fewer seeds come first, whatever they take: a plan that may miss it is no advice. Of
 * those, the faster with the seeds for choosing.
 */
export const comparePlans = (left: AdvisedPlan, right: AdvisedPlan): number =>
  missesOf(left) - missesOf(right) || compare(chosenBy(left), chosenBy(right))

const chosenBy = ({ reached, averaging }: AdvisedPlan) => median([...reached]) + averaging

/** The result of the search. */
export interface Advice {
  /** The best first, see {@link comparePlans}. The plan of the files is always among them. */
  readonly plans: readonly AdvisedPlan[]
  /** How many plans there were. */
  readonly tried: number
  /** The loss to reach, for each seed for choosing. */
  readonly targets: readonly number[]
  /** How many fresh seeds the first plans were measured with. */
  readonly freshSeeds: number
  readonly computing: Computing
  /**
   * Virtual seconds that the slowest peer computes in all rounds of the training file, random stragglers aside: no run
   * that goes through them ends earlier.
   */
  readonly computed: number
  /** The links, if they are not those of the topology file. */
  readonly links: LinksDescription | undefined
  /** What was assumed of links that were not measured, in sentences. */
  readonly assumed: readonly string[]
  /** Whether the budget was enough for the whole search. */
  readonly isWhole: boolean
}

/** The next stage of the search. */
export interface SearchProgress {
  readonly plans: number
  /** The maximum number of rounds. */
  readonly rounds: number
  readonly seeds: number
}
