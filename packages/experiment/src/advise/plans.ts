import type { LinksDescription } from '@murmuration/files'
import { median } from 'simple-statistics'
import type { Computing } from '../sim/scenario-computing.js'
import type { Candidate } from './candidates.js'

/** A plan, and how it did. Times are virtual seconds. */
export interface AdvisedPlan extends Omit<Candidate, 'method'> {
  /** Of each seed, from the start until the mean of the models has the loss; infinite where the rounds of the training file did not suffice. */
  readonly reached: readonly number[]
  /** What the final averaging rounds take after that. */
  readonly averaging: number
  /** What a peer has sent by then, without final averaging, in bytes; of the first seed, and absent where it was not reached. */
  readonly bytes: number | undefined
}

/** When a plan has the loss, and has averaged after that: the median over its seeds. */
export const totalOf = ({ reached, averaging }: AdvisedPlan): number => median([...reached]) + averaging

/** What was found. */
export interface Advice {
  /** The best first: by the median of `reached`, and averaging. The plan of the files is always among them. */
  readonly plans: readonly AdvisedPlan[]
  /** How many plans there were. */
  readonly tried: number
  /** The loss to be reached, with each seed. */
  readonly targets: readonly number[]
  readonly computing: Computing
  /** The links, where they are not those of the topology file. */
  readonly links: LinksDescription | undefined
  /** What was assumed of links that were not measured, in sentences. */
  readonly assumed: readonly string[]
  /** Whether the budget was enough for all that was to be done. */
  readonly isWhole: boolean
}

/** What is simulated next. */
export interface SearchProgress {
  readonly plans: number
  /** For how many rounds at most. */
  readonly rounds: number
  readonly seeds: number
}
