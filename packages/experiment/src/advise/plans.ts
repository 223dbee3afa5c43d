import type { LinksDescription } from '@murmuration/files'
import type { SimulatedRecord } from '@murmuration/results'
import { median } from 'simple-statistics'
import type { Computing } from '../sim/scenario-computing.js'
import type { Candidate } from './candidates.js'
import { compare, type Entry } from './standing.js'

/** A plan, and its outcome. Times are virtual seconds. */
export interface AdvisedPlan extends Omit<Candidate, 'method'> {
  /** For each seed, the time until the mean model reached the loss; infinite if the rounds of the training file were not enough. */
  readonly reached: readonly number[]
  /** The time of the final averaging rounds after that. */
  readonly averaging: number
  /** Bytes that a peer sent until then, without final averaging, with the first seed; undefined if the loss was not reached. */
  readonly bytes: number | undefined
}

/** A plan with the outcomes of its runs, one per seed. */
export function planOf({ averaging, candidate }: Entry, records: readonly SimulatedRecord[]): AdvisedPlan {
  const { method: _, ...shown } = candidate
  const [first] = records
  const bytes = first?.toTarget === undefined ? undefined : first.toTarget.bytes / first.peers
  const reached = records.map(({ toTarget }) => toTarget?.seconds ?? Number.POSITIVE_INFINITY)
  return { ...shown, averaging, bytes, reached }
}

/** The time until a plan has reached the loss and averaged after that: the median over its seeds. */
export const totalOf = ({ reached, averaging }: AdvisedPlan): number => median([...reached]) + averaging

/** With how many seeds a plan did not reach the loss. */
export const missesOf = ({ reached }: AdvisedPlan): number =>
  reached.filter((seconds) => !Number.isFinite(seconds)).length

/** Plans that reached the loss with more seeds come first, whatever they take: a plan that may miss it is no advice. Of those, the faster. */
export const comparePlans = (left: AdvisedPlan, right: AdvisedPlan): number =>
  missesOf(left) - missesOf(right) || compare(totalOf(left), totalOf(right))

/** The result of the search. */
export interface Advice {
  /** The best first, see {@link comparePlans}. The plan of the files is always among them. */
  readonly plans: readonly AdvisedPlan[]
  /** How many plans there were. */
  readonly tried: number
  /** The loss to reach, for each seed. */
  readonly targets: readonly number[]
  readonly computing: Computing
  /** Virtual seconds that the slowest peer computes in all rounds of the training file, random stragglers aside: no run that goes through them ends earlier. */
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
