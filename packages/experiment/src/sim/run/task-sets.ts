import { InputError, type PeerName, type Task } from '@murmuration/core'
import { keepDecodedImages } from '@murmuration/data'
import { loadTask, type TaskSet } from '@murmuration/tasks'
import { taskRecordOf } from '../../training/task-choice.js'
import { localDataOptionsOf, type Sharing, taskDescription } from '../../training/task-description.js'
import type { LearningTask } from '../../training/training-schema.js'

/** Of decoded images that the tasks of a simulation share, in each thread: 256 MiB. */
const maxImageBytes = 2 ** 28

/** Builds the tasks of all peers of a run, and caches the latest: successive runs share them. */
export class TaskSets {
  readonly #cache = new Map<string, Promise<TaskSet>>()
  readonly #maxKept: number

  /** @param maxKept - the size of the cache */
  constructor(maxKept: number) {
    this.#maxKept = maxKept
    keepDecodedImages(maxImageBytes)
  }

  /** Rejects with an InputError when the data cannot be read or divided. */
  of(task: LearningTask, peers: readonly string[], seed: number): Promise<TaskSet> {
    const key = JSON.stringify([task, peers, seed])
    const taskSet = this.#cache.get(key) ?? open(task, peers, seed)
    this.#cache.delete(key)
    this.#cache.set(key, taskSet)
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#maxKept) break
      this.#cache.delete(oldest)
    }
    return taskSet
  }
}

async function open(learning: LearningTask, peers: readonly string[], seed: number): Promise<TaskSet> {
  const sharing = { peers, seed }
  const taskSet = taskRecordOf(learning.task)?.taskSet
  return taskSet === undefined
    ? createModelTaskSet(learning, sharing)
    : taskSet(learning.task as never, localDataOptionsOf(learning, sharing))
}

/** The tasks of all peers as each would build its own, in this thread. Each has its own copy of its data in memory. */
async function createModelTaskSet(task: LearningTask, sharing: Sharing): Promise<TaskSet> {
  const create = (self?: PeerName) => loadTask(taskDescription(task, sharing, self))
  const union = await create()
  const tasks = new Map<string, Task>()
  for (const peer of sharing.peers) tasks.set(peer, await create(peer as PeerName))
  const of = (peer: string) => {
    const task = tasks.get(peer)
    if (task === undefined) throw new InputError(`"${peer}" is not among the ${tasks.size} peers of the tasks`)
    return task
  }
  return { schema: union.schema, peers: sharing.peers, union, of }
}
