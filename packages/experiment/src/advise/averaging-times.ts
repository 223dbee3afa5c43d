import { hasMembers } from '@murmuration/algorithms'
import type { SimulatedRecord } from '@murmuration/results'
import type { RunLimits } from '../sim/sweep/run-worker.js'
import { recordOf } from '../training/algorithm-choice.js'
import type { Candidate } from './candidates.js'

/** Simulates the first seed of a method; `undefined` once the pool has ended. */
type Simulate = (method: number, within: RunLimits) => Promise<SimulatedRecord | undefined>

/** The time of final averaging, in virtual seconds: it does not depend on what was learned. Infinite if it fails. */
export class AveragingTimes {
  readonly #simulate: Simulate
  readonly #times = new Map<string, Promise<number>>()

  constructor(simulate: Simulate) {
    this.#simulate = simulate
  }

  /**
   * After any algorithm on the graph of a plan, in its codec. Algorithms with members are separate: their final
   * averaging waits for a tick.
   */
  near(candidate: Candidate, method: number): Promise<number> {
    return this.#of(candidate, method, String(hasMembers(recordOf(candidate.choice.algorithm))))
  }

  /** After the algorithm of a plan. */
  after(candidate: Candidate, method: number): Promise<number> {
    return this.#of(candidate, method, candidate.choice.algorithm.name ?? candidate.algorithm)
  }

  #of({ choice, graph, method: { finalRounds = 0 } }: Candidate, method: number, algorithm: string): Promise<number> {
    const key = JSON.stringify([choice.codec, graph, finalRounds, algorithm])
    const seconds = this.#times.get(key) ?? this.#measure(method, finalRounds)
    this.#times.set(key, seconds)
    return seconds
  }

  async #measure(method: number, finalRounds: number): Promise<number> {
    if (finalRounds === 0) return 0
    const record = await this.#simulate(method, { rounds: 1, stop: {}, evaluate: Number.POSITIVE_INFINITY })
    if (record === undefined || record.outcome === 'failed') return Number.POSITIVE_INFINITY
    return record.seconds - record.rounds * record.secondsPerRound
  }
}
