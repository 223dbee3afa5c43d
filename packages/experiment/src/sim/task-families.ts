import type { TaskFamily } from '@murmuration/tasks'
import { taskRecordOf } from '../training/task-choice.js'
import { shareOf } from '../training/task-description.js'
import type { LearningTask } from '../training/training-schema.js'
import { createModelFamily } from './model-family.js'

/** Builds the tasks of all peers of a run, and keeps those that were built last: runs in a row share them. */
export class Families {
  readonly #known = new Map<string, Promise<TaskFamily>>()
  readonly #kept: number

  /** @param kept - how many are kept at a time */
  constructor(kept: number) {
    this.#kept = kept
  }

  /** Rejects with an InputError when the data cannot be read or shared out. */
  of(task: LearningTask, peers: readonly string[], seed: number): Promise<TaskFamily> {
    const key = JSON.stringify([task, peers, seed])
    const known = this.#known.get(key) ?? open(task, peers, seed)
    this.#known.delete(key)
    this.#known.set(key, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#kept) break
      this.#known.delete(oldest)
    }
    return known
  }
}

async function open(learning: LearningTask, peers: readonly string[], seed: number): Promise<TaskFamily> {
  const sharing = { peers, seed }
  const family = taskRecordOf(learning.task)?.family
  return family === undefined
    ? createModelFamily(learning, sharing)
    : family(learning.task as never, shareOf(learning, sharing))
}
