import { InputError, type PeerName, type Task } from '@murmuration/core'
import type { TaskSet } from '@murmuration/tasks'
import { type Sharing, taskDescription } from '../training/task-description.js'
import type { LearningTask } from '../training/training-schema.js'

/** What a module of tasks exports. */
interface TaskModule {
  createTask(options: unknown): Promise<Task>
}

/** The tasks of all peers as each would build its own, in this thread. Their data are in memory once for each. */
export async function createModelTaskSet(task: LearningTask, sharing: Sharing): Promise<TaskSet> {
  const create = async (self?: PeerName) => {
    const { module, options } = taskDescription(task, sharing, self)
    const { createTask } = (await import(module)) as TaskModule
    return createTask(options)
  }
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
