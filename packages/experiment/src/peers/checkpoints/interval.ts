import { exponentOf } from '@murmuration/core'

/** How often checkpoints are written: in rounds or in milliseconds. */
export type CheckpointInterval = { readonly rounds: number } | { readonly time: number }

/**
 * Decides which rounds are saved. All peers must save the same rounds without asking each other. An interval in rounds
 * means its multiples. An interval in time means the multiples of the largest power of two of rounds that fit into the
 * interval at this peer's pace. If peers estimate their pace differently, their strides differ by a power of two, so
 * that the rounds of the larger stride are rounds of the smaller one as well. Two rounds are always saved: 1, which
 * peers then have in common that are stopped one by one within the first interval, and the end of training, so that
 * what comes after it is all that can be lost then.
 */
export class CheckpointRounds {
  readonly #interval: CheckpointInterval
  readonly #end: number
  #round: number
  #time: number

  /**
   * @param round - the next round at the start
   * @param end - the round with which training is over
   */
  constructor(interval: CheckpointInterval, round: number, now: number, end = Number.POSITIVE_INFINITY) {
    this.#interval = interval
    this.#round = round
    this.#time = now
    this.#end = end
  }

  /** Whether to save before `round`, at the time `now`. Must be called once before each round. */
  isDue(round: number, now: number): boolean {
    const done = round - this.#round
    const isAlways = round === 1 || round === this.#end
    if (done <= 0 || (!isAlways && round % this.#stride(done, now) !== 0)) return false
    this.#round = round
    this.#time = now
    return true
  }

  #stride(done: number, now: number): number {
    if ('rounds' in this.#interval) return this.#interval.rounds
    const pace = Math.max(1e-3, (now - this.#time) / done)
    return 2 ** Math.max(0, Math.min(30, exponentOf(this.#interval.time / pace)))
  }
}
