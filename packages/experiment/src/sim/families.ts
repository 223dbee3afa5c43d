import { createLogisticFamily, createQuadraticFamily, createSoftmaxFamily, type TaskFamily } from '@murmuration/tasks'
import type { DataDescription, ShareOptions } from '@murmuration/data'
import { dataDescription } from '../training/task-description.js'
import { partitionDescription } from '../training/training-file.js'
import { createModelFamily } from './model-family.js'
import type { ScenarioTask } from './scenario-task.js'

/** Builds the tasks of all peers of a run, and keeps those that were built last: runs in a row share them. */
export class Families {
  readonly #known = new Map<string, Promise<TaskFamily>>()
  readonly #kept: number

  /** @param kept - how many are kept at a time */
  constructor(kept: number) {
    this.#kept = kept
  }

  /** Rejects with an InputError when the data cannot be read or shared out. */
  of(task: ScenarioTask, peers: readonly string[], seed: number): Promise<TaskFamily> {
    const key = JSON.stringify([task, peers, seed])
    const known = this.#known.get(key) ?? open(task, peers, seed)
    this.#known.delete(key)
    this.#known.set(key, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#kept) break
      this.#known.delete(oldest)
    }
    return known
  }
}

async function open(task: ScenarioTask, peers: readonly string[], seed: number): Promise<TaskFamily> {
  if (task.kind === 'model') return createModelFamily(task, { peers, seed })
  if (task.kind === 'quadratic') {
    const { kind: _, ...options } = task
    return createQuadraticFamily({ ...options, peers, seed })
  }
  const { test: testShare, partition } = task
  const share = (data: DataDescription): ShareOptions => ({
    data,
    testShare,
    partition: partitionDescription({ partition }),
    peers,
    seed
  })
  if (task.kind === 'softmax') return createSoftmaxFamily({ share: share(dataDescription(task.data)) })
  const { features, samples } = task
  return createLogisticFamily({ share: share({ kind: 'gaussians', features, samples }) })
}
