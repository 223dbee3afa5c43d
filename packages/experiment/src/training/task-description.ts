/** The tasks of a run: as a thread builds them, and in words. */
import type { PeerName, Scale, TaskDescription } from '@murmuration/core'
import type { DataDescription, LocalDataOptions, TestDescription } from '@murmuration/data'
import { tfjsTaskModule } from '@murmuration/tfjs'
import { taskRecordOf } from './task-choice.js'
import { partitionDescription } from './training-file.js'
import { drawnDigits, drawnSentences, type LearningTask } from './training-schema.js'

/** The peers that the data are divided among, and the seed of the draws. */
export interface Sharing {
  readonly peers: readonly string[]
  readonly seed: number
  /** The input of a trained model, if the test set must fit it. */
  readonly like?: LocalDataOptions['like']
  /** The scale of a trained model's inputs, in place of that of the data. */
  readonly scale?: Scale
}

/** The task of one peer, or without `self` of the union of all peers' data. */
export function taskDescription(learning: LearningTask, sharing: Sharing, self?: PeerName): TaskDescription {
  const localData = { ...localDataOptionsOf(learning, sharing), ...(self === undefined ? {} : { self }) }
  const { task, backend, dataSeed } = learning
  const computing = { backend, ...(dataSeed === undefined ? {} : { seed: sharing.seed }) }
  const record = taskRecordOf(task)
  if (record !== undefined) {
    const { module } = record
    const options = record.given(task as never, localData)
    return { module, options: module === tfjsTaskModule ? { ...(options as object), ...computing } : options }
  }
  const path = task.module ?? ''
  const model = { kind: 'module', path, options: task.options }
  return { module: tfjsTaskModule, options: { localData, model, ...computing }, userModule: path }
}

/** How the data of a task is split and divided. */
export function localDataOptionsOf(learning: LearningTask, { peers, seed, like, ...model }: Sharing): LocalDataOptions {
  const { data, test, loss, dataSeed = seed } = learning
  const { scale } = { ...(typeof data === 'object' && 'path' in data ? data : {}), ...model }
  return {
    data: dataDescription(data),
    ...(typeof test === 'number' ? { testFraction: test } : { testFraction: 0, test: { ...columnsOf(data), ...test } }),
    targets: loss === 'mean-squared-error' ? 'numbers' : 'classes',
    partition: partitionDescription(learning),
    peers,
    seed: dataSeed,
    ...(scale && { scale }),
    ...(like && { like })
  }
}

/** The data that a file names. */
export function dataDescription(data: LearningTask['data']): DataDescription {
  if (data === 'digits') return { kind: 'digits', samples: drawnDigits }
  if (data === 'gaussians') return { kind: 'gaussians' }
  if (data === 'sentences') return { kind: 'sentences', samples: drawnSentences }
  if (typeof data === 'string') return { kind: 'known', name: data }
  if ('digits' in data) return { kind: 'digits', samples: data.digits, size: data.size }
  if ('gaussians' in data) return { kind: 'gaussians', samples: data.gaussians, features: data.features }
  if ('sentences' in data) return { kind: 'sentences', samples: data.sentences }
  const { path, sha256, size } = data
  return { kind: 'files', path, ...(sha256 && { sha256 }), ...(size && { size }), ...columnsOf(data) }
}

/** The columns that are read of tables, also of a test set for which the file names none. */
function columnsOf(data: LearningTask['data']): Pick<TestDescription, 'target' | 'ignore'> {
  if (typeof data === 'string' || !('path' in data)) return {}
  const { target, ignore } = data
  return { ...(target && { target }), ...(ignore && { ignore }) }
}

/** The task and its data, in words: `mlp, data digits 1500, partition equal`. */
export function taskText({ task, data, partition }: Pick<LearningTask, 'task' | 'data' | 'partition'>): string {
  const { kind = 'a module', ...options } = task
  const shown = taskRecordOf(task)?.learnsFromData === false ? options : { ...options, data, partition }
  return [kind, ...Object.entries(shown).map(([name, value]) => `${name} ${valueText(value)}`)].join(', ')
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.map(valueText).join(' ')
  return Object.entries(value)
    .flatMap(([name, each]) => (each === undefined ? [] : [`${name} ${valueText(each)}`]))
    .join(' ')
}
