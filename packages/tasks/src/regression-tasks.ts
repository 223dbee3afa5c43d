import { InputError, type Task } from '@murmuration/core'
import {
  constantAnswerOn,
  describeLocalData,
  fingerprintOf,
  fingerprintsOf,
  loadLocalData,
  type LocalData,
  type LocalDataOptions,
  signatureOf,
  sourceOf
} from '@murmuration/data'
import { taskSetOf, type TaskSet } from './task-set.js'
import { type Model, ShardTask } from './shard-task.js'
import { withTwoClasses } from './svm/two-classes.js'

/** Options of a task over local data. JSON. */
export interface RegressionOptions {
  readonly localData: LocalDataOptions
  /** Weight of the penalty (l2 / 2) ‖W‖² in the training loss; 0 by default. The evaluation omits it. */
  readonly l2?: number
}

/** Creates a model from local data. */
export type ModelOf = (localData: LocalData, l2: number) => Model

/** The task of `options.localData.self`, or of the union without one. */
export async function createRegressionTask(
  { localData: options, l2 = 0 }: RegressionOptions,
  modelOf: ModelOf
): Promise<Task> {
  const localData = checked(await loadLocalData(options))
  const model = modelOf(localData, l2)
  const about = { ...describeLocalData(localData, options), model: model.about }
  const facts = {
    fingerprints: fingerprintsOf(localData),
    signature: signatureOf(localData.train),
    constantAnswer: constantAnswerOn(localData.test),
    // One of all peers is one peer with all samples.
    ...(options.self === undefined ? {} : { meanSamples: meanOf(localData.shardSizes) })
  }
  return new ShardTask(model, 0, localData.train.count, () => about, facts)
}

/** As {@link createRegressionTask}, with a model of the samples of all peers, of two classes. */
export async function createUnionTask(
  { localData: options, l2 = 0 }: RegressionOptions,
  modelOf: ModelOf
): Promise<Task> {
  const { self, peers } = options
  const localData = withTwoClasses(checked(await loadLocalData({ ...options, self: undefined })))
  const { train, shardSizes } = localData
  const model = modelOf(localData, l2)
  const rank = self === undefined ? -1 : peers.indexOf(self)
  const first = shardSizes.slice(0, Math.max(0, rank)).reduce((sum, size) => sum + size, 0)
  const count = rank < 0 ? train.count : shardSizes[rank]
  const own = { ...localData, train: { ...train, count } }
  const about = { ...describeLocalData(own, options), model: model.about }
  const facts = {
    fingerprints: fingerprintsOf({ fingerprint: self === undefined ? undefined : fingerprintOf(sourceOf(train)) }),
    signature: signatureOf(train),
    constantAnswer: constantAnswerOn(localData.test)
  }
  return new ShardTask(model, first, count, () => about, facts)
}

/** The tasks of all peers of `options.localData`; the data are loaded and divided once. */
export async function createRegressionTaskSet(
  { localData: given, l2 = 0 }: RegressionOptions,
  modelOf: ModelOf
): Promise<TaskSet> {
  const options = { ...given, self: undefined }
  const localData = checked(await loadLocalData(options))
  const model = modelOf(localData, l2)
  // Does not keep the samples: the model has its own copy of them, and one is enough.
  const { shardSizes } = localData
  const { count: all, inputShape, preprocessing, remark, unscaled } = localData.train
  const facts = { inputShape, preprocessing, remark, unscaled }
  const test = { count: localData.test.count }
  return taskSetOf({
    model,
    peers: options.peers,
    shardSizes,
    constantAnswer: constantAnswerOn(localData.test),
    about: (self, count = all) => ({
      ...describeLocalData({ train: { count, ...facts }, test, shardSizes }, { ...options, self }),
      model: model.about
    })
  })
}

function meanOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length
}

/** Regressions learn one class, or one number, of a sample. */
function checked(localData: LocalData): LocalData {
  const { targetShape } = localData.train
  if (targetShape.length === 0) return localData
  throw new InputError(
    `the samples have ${targetShape.join(' × ')} targets each, as those of texts, expected one; the task gpt learns texts`
  )
}
