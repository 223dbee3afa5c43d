/** How often checkpoints are written: every so many rounds, or milliseconds. */
export type CheckpointInterval = { readonly rounds: number } | { readonly time: number }

/**
 * Which rounds are saved. All peers have to save the same ones, and they cannot ask each other. With an interval in rounds these are its
 * multiples. With one in time, they are the multiples of the largest power of two that takes no longer than that at this peer's pace: peers
 * that judge their pace differently differ by a power of two, so that every round of the slower one is a round of the other's. Round 1 is saved
 * besides: peers that are stopped one after the other before the first interval is over have it in common.
 */
export class CheckpointRounds {
  readonly #interval: CheckpointInterval
  #round: number
  #time: number

  /** @param round - that comes next at the start */
  constructor(interval: CheckpointInterval, round: number, now: number) {
    this.#interval = interval
    this.#round = round
    this.#time = now
  }

  /** Whether to save before `round`, at the time `now`. To be asked once before each round. */
  isDue(round: number, now: number): boolean {
    const done = round - this.#round
    if (done <= 0 || (round !== 1 && round % this.#stride(done, now) !== 0)) return false
    this.#round = round
    this.#time = now
    return true
  }

  #stride(done: number, now: number): number {
    if ('rounds' in this.#interval) return this.#interval.rounds
    const pace = Math.max(1e-3, (now - this.#time) / done)
    return 2 ** Math.max(0, Math.min(30, Math.floor(Math.log2(this.#interval.time / pace))))
  }
}
