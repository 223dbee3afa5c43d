import type { Task, Work } from '@murmuration/core'
import type { TaskSet } from '@murmuration/tasks'

/** The start parameters by seed, for as long as the tasks are kept. */
const cache = new WeakMap<TaskSet, Map<number, Float32Array>>()

/**
 * The start parameters of a task of `taskSet`. They are drawn once for all its peers and for successive runs, since
 * they must have the same bits. Drawing a network takes as long as several steps.
 */
export function firstParameters(taskSet: TaskSet, task: Task, seed: number): Work<Float32Array> {
  const bySeed = cache.get(taskSet) ?? new Map<number, Float32Array>()
  cache.set(taskSet, bySeed)
  const work = task.initialise(seed)
  const keep = (first: Float32Array) => {
    bySeed.set(seed, first.slice())
    return first
  }
  const run = () => {
    const first = bySeed.get(seed)
    if (first !== undefined) return first.slice()
    const result = work.run()
    return result instanceof Promise ? result.then(keep) : keep(result)
  }
  return { ...work, run }
}
