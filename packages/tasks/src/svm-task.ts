import { InputError, type Task } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import {
  createRegressionTask,
  createRegressionTaskSet,
  createUnionTask,
  type ModelOf,
  type RegressionOptions
} from './regression-tasks.js'
import { FourierFeatures, type FourierOptions } from './svm/fourier-features.js'
import { KernelSvm } from './svm/kernel-svm.js'
import { type KernelOptions, kernelNeedsAll } from './svm/kernels.js'
import { type MarginLoss, Svm } from './svm/svm.js'
import type { TaskSet } from './task-set.js'

/** Options of {@link createSvmTask}. JSON. */
export interface SvmTaskOptions extends RegressionOptions {
  /** 'squared-hinge' by default. */
  readonly loss?: MarginLoss
  /** Random Fourier features in place of the inputs, drawn from the seed of the data. */
  readonly features?: FourierOptions | undefined
  /** A kernel in place of a vector of weights: the task has a {@link Task.kernel}, and no gradient. */
  readonly kernel?: KernelOptions | undefined
  /** LIBSVM's C, with a kernel; 1 by default. */
  readonly c?: number
}

/**
 * A support vector machine on local data, linear in the inputs or in random Fourier features of them; two classes, or
 * several one against the rest. Convex, without TensorFlow.js. Parameters start at zero, on every peer. With a kernel
 * each peer has the samples of all, since support vectors are among them.
 *
 * Throws an {@link InputError} for data without classes, and with a kernel for other than two classes.
 */
export async function createSvmTask(options: SvmTaskOptions): Promise<Task> {
  if (options.kernel === undefined) return createRegressionTask(options, modelWith(options))
  if (options.localData.partition.kind === 'local') throw new InputError(kernelNeedsAll)
  return createUnionTask(options, modelWith(options))
}

/** What a worker thread calls: {@link createSvmTask}. */
export const createTask = createSvmTask

/** The same for all peers at once. `options.localData.self` is ignored. */
export async function createSvmTaskSet(options: SvmTaskOptions): Promise<TaskSet> {
  return createRegressionTaskSet(options, modelWith(options))
}

function modelWith({
  loss = 'squared-hinge',
  features,
  kernel,
  c = 1,
  localData: { seed, peers }
}: SvmTaskOptions): ModelOf {
  return (localData, l2) => {
    if (kernel !== undefined) return new KernelSvm(localData, { kernel, c, peers })
    const { train, test } = localData
    const drawn = features && new FourierFeatures(features, sizeOf(train.inputShape), seed)
    return new Svm(train, test, { loss, l2, features: drawn })
  }
}
