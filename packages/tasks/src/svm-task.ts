import type { Task } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import {
  createRegressionTask,
  createRegressionTaskSet,
  type ModelOf,
  type RegressionOptions
} from './regression-tasks.js'
import { FourierFeatures, type FourierOptions } from './svm/fourier-features.js'
import { type MarginLoss, Svm } from './svm/svm.js'
import type { TaskSet } from './task-set.js'

/** Options of {@link createSvmTask}. JSON. */
export interface SvmTaskOptions extends RegressionOptions {
  /** 'squared-hinge' by default. */
  readonly loss?: MarginLoss
  /** Random Fourier features in place of the inputs, drawn from the seed of the data. */
  readonly features?: FourierOptions | undefined
}

/** The module that builds this task in a worker thread. */
export const svmTaskModule = new URL('./svm-task.js', import.meta.url).href

/**
 * A support vector machine on local data, linear in the inputs or in random Fourier features of them; two classes, or
 * several one against the rest. Convex, without TensorFlow.js. Parameters start at zero, on every peer.
 *
 * Throws an {@link InputError} for data without classes.
 */
export async function createSvmTask(options: SvmTaskOptions): Promise<Task> {
  return createRegressionTask(options, modelWith(options))
}

/** What a worker thread calls: {@link createSvmTask}. */
export const createTask = createSvmTask

/** The same for all peers at once. `options.localData.self` is ignored. */
export async function createSvmTaskSet(options: SvmTaskOptions): Promise<TaskSet> {
  return createRegressionTaskSet(options, modelWith(options))
}

function modelWith({ loss = 'squared-hinge', features, localData: { seed } }: SvmTaskOptions): ModelOf {
  return ({ train, test }, l2) => {
    const drawn = features && new FourierFeatures(features, sizeOf(train.inputShape), seed)
    return new Svm(train, test, { loss, l2, features: drawn })
  }
}
