import type { Task } from '@murmuration/core'
import type { TaskSet } from './task-set.js'
import { Logistic } from './logistic.js'
import {
  createRegressionTaskSet,
  createRegressionTask,
  type ModelOf,
  type RegressionOptions
} from './regression-tasks.js'

/** Options of {@link createLogisticTask}. JSON. */
export type LogisticTaskOptions = RegressionOptions

const modelOf: ModelOf = ({ train, test }, l2) => new Logistic(train, test, l2)

/**
 * Logistic regression on local data with two classes: one parameter for each input, and one more. Convex, with the
 * cheapest gradient of all tasks. Parameters start at zero, on every peer.
 *
 * Throws an {@link InputError} for data with more or fewer classes.
 */
export async function createLogisticTask(options: LogisticTaskOptions): Promise<Task> {
  return createRegressionTask(options, modelOf)
}

/** What a worker thread calls: {@link createLogisticTask}. */
export const createTask = createLogisticTask

/** The same for all peers at once. `options.localData.self` is ignored. */
export async function createLogisticTaskSet(options: LogisticTaskOptions): Promise<TaskSet> {
  return createRegressionTaskSet(options, modelOf)
}
