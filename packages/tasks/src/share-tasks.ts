import type { Task } from '@murmuration/core'
import { aboutShare, fingerprintsOf, loadShare, type Share, type ShareOptions } from '@murmuration/data'
import { familyOf, type TaskFamily } from './family.js'
import { type Model, ShardTask } from './shard-task.js'

/** Options of a task over a share of a data set. JSON. */
export interface RegressionOptions {
  readonly share: ShareOptions
  /** Weight of the penalty (l2 / 2) ‖W‖² in the training loss; 0 by default. The evaluation leaves it out. */
  readonly l2?: number
}

/** What makes a model of a share's samples. */
export type ModelOf = (share: Share, l2: number) => Model

/** The task of `options.share.self`, or of the union without one. */
export async function createShareTask({ share: options, l2 = 0 }: RegressionOptions, modelOf: ModelOf): Promise<Task> {
  const share = await loadShare(options)
  const model = modelOf(share, l2)
  const about = { ...aboutShare(share, options), model: model.about }
  return new ShardTask(model, 0, share.train.count, () => about, fingerprintsOf(share))
}

/** The tasks of all peers of `options.share`; the data are loaded and shared out once. */
export async function createShareFamily(
  { share: given, l2 = 0 }: RegressionOptions,
  modelOf: ModelOf
): Promise<TaskFamily> {
  const options = { ...given, self: undefined }
  const share = await loadShare(options)
  const model = modelOf(share, l2)
  // The samples are not among the facts: the model has its own copy of them, and one is enough.
  const { shardSizes } = share
  const { count: all, inputShape } = share.train
  const test = { count: share.test.count }
  return familyOf({
    model,
    peers: options.peers,
    shardSizes,
    about: (self, count = all) => ({
      ...aboutShare({ train: { count, inputShape }, test, shardSizes }, { ...options, self }),
      model: model.about
    })
  })
}
