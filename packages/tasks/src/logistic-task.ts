import type { Task } from '@murmuration/core'
import type { TaskFamily } from './family.js'
import { Logistic } from './logistic.js'
import { createShareFamily, createShareTask, type ModelOf, type RegressionOptions } from './share-tasks.js'

/** Options of {@link createLogisticTask}. JSON. */
export type LogisticTaskOptions = RegressionOptions

/** The module that builds this task in a worker thread. */
export const logisticTaskModule = new URL('./logistic-task.js', import.meta.url).href

const modelOf: ModelOf = ({ train, test }, l2) => new Logistic(train, test, l2)

/**
 * Logistic regression on a share of a data set with two classes: one parameter for each input, and one more. Convex, and the
 * cheapest gradient there is. Parameters start at zero, on every peer.
 *
 * Throws an {@link InputError} for data with more or fewer classes.
 */
export async function createLogisticTask(options: LogisticTaskOptions): Promise<Task> {
  return createShareTask(options, modelOf)
}

/** What a worker thread calls: {@link createLogisticTask}. */
export const createTask = createLogisticTask

/** The same for all peers at once. `options.share.self` is left aside. */
export async function createLogisticFamily(options: LogisticTaskOptions): Promise<TaskFamily> {
  return createShareFamily(options, modelOf)
}
