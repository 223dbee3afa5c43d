/** The tasks of a run, as a thread builds them. */
import type { PeerName, TaskDescription } from '@murmuration/core'
import type { DataDescription, ShareOptions } from '@murmuration/data'
import { softmaxTaskModule } from '@murmuration/tasks'
import { type ModelDescription, tfjsTaskModule } from '@murmuration/tfjs'
import { partitionDescription, type Training } from './training-file.js'

/** What a training says of the task. Paths are absolute. */
export type LearningTask = Pick<Training, 'model' | 'data' | 'loss' | 'test' | 'partition'>

/** Data as training files name them, and drawn digits of a size. */
type NamedData = Training['data'] | { readonly digits: number; readonly size: number }

/** Among whom the data is shared out, and how it is drawn. */
export interface Sharing {
  readonly peers: readonly string[]
  readonly seed: number
}

/** The task of one peer, or without `self` of the union of all peers' data. */
export function taskDescription(task: LearningTask, { peers, seed }: Sharing, self?: PeerName): TaskDescription {
  const share: ShareOptions = {
    data: dataDescription(task.data),
    ...testOf(task),
    targets: task.loss === 'mean-squared-error' ? 'numbers' : 'classes',
    partition: partitionDescription(task),
    peers,
    seed,
    ...(self === undefined ? {} : { self })
  }
  if (task.model === 'softmax') return { module: softmaxTaskModule, options: { share } }
  const model = modelOf(task)
  const userModule = model.kind === 'module' ? { userModule: model.path } : {}
  return { module: tfjsTaskModule, options: { share, model }, ...userModule }
}

/** The data that a file names. */
export function dataDescription(data: NamedData): DataDescription {
  if (data === 'digits') return { kind: 'digits', samples: 5000 }
  if (typeof data === 'string') return { kind: 'known', name: data }
  if ('digits' in data) {
    return { kind: 'digits', samples: data.digits, ...('size' in data ? { size: data.size } : {}) }
  }
  return { kind: 'files', path: data.path, ...(data.sha256 === undefined ? {} : { sha256: data.sha256 }) }
}

function testOf({ test }: LearningTask): Pick<ShareOptions, 'test' | 'testShare'> {
  return typeof test === 'number' ? { testShare: test } : { testShare: 0, test }
}

function modelOf({ model }: LearningTask): ModelDescription {
  if (model === 'cnn') return { kind: 'cnn' }
  if (typeof model === 'string') return { kind: 'mlp', hidden: [128] }
  if ('module' in model) return { kind: 'module', path: model.module, options: model.options }
  return model
}
