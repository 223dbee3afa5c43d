import type { Task } from '@murmuration/core'
import type { TaskSet } from './task-set.js'
import {
  createRegressionTaskSet,
  createRegressionTask,
  type ModelOf,
  type RegressionOptions
} from './regression-tasks.js'
import { Softmax } from './softmax.js'

/** Options of {@link createSoftmaxTask}. JSON. */
export type SoftmaxTaskOptions = RegressionOptions

const modelOf: ModelOf = ({ train, test }, l2) => new Softmax(train, test, l2)

/** Softmax regression on local data: convex, without TensorFlow.js. Parameters start at zero, on every peer. */
export async function createSoftmaxTask(options: SoftmaxTaskOptions): Promise<Task> {
  return createRegressionTask(options, modelOf)
}

/** What a worker thread calls: {@link createSoftmaxTask}. */
export const createTask = createSoftmaxTask

/** The same for all peers at once. `options.localData.self` is ignored. */
export async function createSoftmaxTaskSet(options: SoftmaxTaskOptions): Promise<TaskSet> {
  return createRegressionTaskSet(options, modelOf)
}
