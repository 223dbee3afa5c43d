import type { Milliseconds, Task } from '@murmuration/core'

/** Measures for how long at least one gradient was being computed. */
export class BusyTime {
  readonly #now: () => Milliseconds
  #works = 0
  #since = 0
  #busy = 0

  constructor(now: () => Milliseconds) {
    this.#now = now
  }

  /** The same task, whose gradients are counted. */
  watch(task: Task): Task {
    return {
      ...task,
      gradient: (parameters, batch, round) => {
        const work = task.gradient(parameters, batch, round)
        return { ...work, run: () => this.#during(() => work.run()) }
      }
    }
  }

  /** The fraction of the time since `start`, 0 … 1. */
  fraction(start: Milliseconds): number {
    const now = this.#now()
    const busy = this.#busy + (this.#works > 0 ? now - this.#since : 0)
    return now > start ? Math.min(1, busy / (now - start)) : 0
  }

  async #during<Result>(body: () => Promise<Result> | Result): Promise<Result> {
    if (this.#works++ === 0) this.#since = this.#now()
    try {
      return await body()
    } finally {
      if (--this.#works === 0) this.#busy += this.#now() - this.#since
    }
  }
}
