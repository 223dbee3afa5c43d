import type { Milliseconds, StageTask, StageWorks, Task, TaskDual, TaskKernel, TaskRows, Work } from '@murmuration/core'

/** Measures for how long at least one gradient, or row of a kernel, was being computed. */
export class BusyTime {
  readonly #now: () => Milliseconds
  #works = 0
  #since = 0
  #busy = 0

  constructor(now: () => Milliseconds) {
    this.#now = now
  }

  /** The same task, with its gradients measured. */
  watch(task: Task): Task {
    return {
      ...task,
      gradient: (parameters, batch, round) => this.#counted(task.gradient(parameters, batch, round)),
      dual: task.dual && this.#watchDual(task.dual),
      rows: task.rows && this.#watchRows(task.rows),
      kernel: task.kernel && this.#watchKernel(task.kernel),
      ...('stage' in task && { stage: this.#watchStage((task as StageTask).stage) })
    }
  }

  #watchStage(stage: StageWorks): StageWorks {
    return {
      ...stage,
      forward: (...given) => this.#counted(stage.forward(...given)),
      backward: (...given) => this.#counted(stage.backward(...given))
    }
  }

  #watchDual(dual: TaskDual): TaskDual {
    return { width: dual.width, step: (...args) => this.#counted(dual.step(...args)) }
  }

  #watchRows(rows: TaskRows): TaskRows {
    return { ...rows, gradient: (...args) => this.#counted(rows.gradient(...args)) }
  }

  #watchKernel(kernel: TaskKernel): TaskKernel {
    return {
      ...kernel,
      among: (...args) => this.#counted(kernel.among(...args)),
      accumulate: (...args) => this.#counted(kernel.accumulate(...args))
    }
  }

  #counted<Result>(work: Work<Result>): Work<Result> {
    return { ...work, run: () => this.#during(() => work.run()) }
  }

  /** The fraction of the time since `start`, 0 … 1. */
  fraction(start: Milliseconds): number {
    const time = this.#now() - start
    return time > 0 ? Math.min(1, this.total / time) : 0
  }

  /** Until now. */
  get total(): Milliseconds {
    return this.#busy + (this.#works > 0 ? this.#now() - this.#since : 0)
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
