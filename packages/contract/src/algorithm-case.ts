import type { Algorithm } from '@murmuration/algorithms'
import type { Links } from '@murmuration/core'

/** What a run of the suite takes besides the algorithm. */
export interface AlgorithmCase {
  readonly algorithm: Algorithm
  /** Options of the algorithm; its defaults when absent. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The links from which options follow; they do not slow the world. None when absent. */
  readonly links?: Links
  /** What tells it from another case of the algorithm, in titles. */
  readonly variant?: string
  /**
   * How far apart the peers' optima lie; 0 for an algorithm that promises something only for peers with the same
   * optimum.
   */
  readonly spread?: number
  /**
   * Whether all peers are neighbours, for an algorithm that needs many. When absent: a ring, or a tree where the
   * algorithm needs one.
   */
  readonly isComplete?: boolean
  /** Whether the result depends on which peers are fast, so that only a deterministic world repeats the same bits. */
  readonly isAsynchronous?: boolean
  /** Rounds until peers must be at the optimum; 100 when absent. */
  readonly rounds?: number
  /**
   * Whether another world gives the same bits and runs all tests. This one then tests only what depends on the world:
   * that a new run continues from checkpoints.
   */
  readonly isTestedElsewhere?: boolean
}
