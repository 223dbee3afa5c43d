import type { Algorithm } from '@murmuration/algorithms'

/** What a run of the suite is given beside the algorithm. */
export interface AlgorithmCase {
  readonly algorithm: Algorithm
  /** Of the algorithm; its defaults when absent. */
  readonly options?: Readonly<Record<string, unknown>>
  /** How far the peers' optima lie apart; 0 where an algorithm only promises something for peers that are alike. */
  readonly spread?: number
  /** Whether all peers are neighbours, for an algorithm that needs many of them; a ring, or a tree where one is needed, when absent. */
  readonly isComplete?: boolean
  /** Whether its result depends on who is fast, so that only a world that repeats itself gives the same bits again. */
  readonly isAsynchronous?: boolean
  /** Rounds until peers must be at the optimum; 300 when absent. */
  readonly rounds?: number
  /**
   * Whether it gives the same bits in another world, where all is tested. Then this one tests what depends on the world alone: that a run goes on in
   * another from checkpoints.
   */
  readonly isTestedElsewhere?: boolean
}
