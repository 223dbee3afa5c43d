import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Evaluation, InputError, type TaskDescription } from '@murmuration/core'
import { localFiles } from '@murmuration/data'
import { startTaskWorker } from '@murmuration/tasks'
import { taskDescription } from '../training/task-description.js'
import { dataOf } from '../training/training-file.js'
import { defaultTest, type LearningTask } from '../training/training-schema.js'
import { checkSchema, loadModel, type ModelFacts } from './model-file.js'
import { taskOfModel } from './trained.js'

/** What a model is evaluated on. */
export interface EvaluationOptions {
  /** In place of the samples that were held back when it was trained: a data set by name, whose held-back part counts, or a folder or file, all of which counts. */
  readonly data?: string | undefined
  /** The module with the model, where it was trained by one. */
  readonly task?: string | undefined
  readonly signal: AbortSignal
}

/** A model's verdict. */
export interface ModelEvaluation extends Evaluation {
  readonly facts: ModelFacts
  /** What it was evaluated on, in words. */
  readonly data: string
}

/**
 * Evaluates a model that was saved: on the samples that its run held back, or on others. Throws an InputError for a file that is no model, and for data
 * that do not fit it.
 */
export async function evaluateModel(path: string, { data, task, signal }: EvaluationOptions): Promise<ModelEvaluation> {
  const model = await loadModel(path)
  const { facts } = model
  const learning = { ...facts.learning, task: taskOfModel(path, facts, task) }
  const worker = await startTaskWorker(await descriptionOf({ ...facts, learning }, data), { signal })
  try {
    checkSchema(path, model, worker.schema)
    const evaluation = await worker.evaluate(model.parameters).run()
    return { ...evaluation, facts, data: data ?? worker.about.data ?? 'what the task draws' }
  } finally {
    await worker.close()
  }
}

/** The task on the samples that the run held back, or on others. */
async function descriptionOf(facts: ModelFacts, data: string | undefined): Promise<TaskDescription> {
  // Where each machine had data of its own, here all are one's own.
  const common: LearningTask = { ...facts.learning, partition: 'equal' }
  const { peers, seed, signature } = facts
  if (data === undefined) return taskDescription(common, { peers, seed })
  const given = dataOf(data, common.data)
  if (typeof given === 'string' || !('path' in given)) {
    // A part of these, not the test set that the run had beside its data.
    const test = typeof common.test === 'number' ? common.test : defaultTest
    return taskDescription({ ...common, data: given, test }, { peers, seed })
  }
  // What the model has learned from need not be on this machine: nothing is learned, and nobody shares.
  const learning: LearningTask = { ...common, data: given, test: { path: given.path, sha256: await checksumsIn(data) } }
  return taskDescription(learning, { peers: ['all'], seed, ...(signature && { like: signature }) })
}

/** Of a file and its partner, or of the files of a folder and of the folders in it. Peers show by them that all have the same test set; here there is one. */
async function checksumsIn(path: string): Promise<Record<string, string>> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new InputError(`--data ${path}: no such file or folder; fetch what is elsewhere first`)
  const files = found.isDirectory()
    ? (await filesIn(path)).map((name) => ({ name, path: join(path, name) }))
    : await localFiles(path)
  const sums = new Map<string, string>()
  for (const file of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(file.path), hash)
    sums.set(file.name, hash.digest('hex'))
  }
  return Object.fromEntries(sums)
}

/** The files of a folder, and those of a class each as `CLASS/FILE`. */
async function filesIn(folder: string, prefix = ''): Promise<readonly string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  const names = entries.map(async (entry) => {
    const name = `${prefix}${entry.name}`
    if (entry.isFile()) return [name]
    return entry.isDirectory() && prefix === '' ? filesIn(folder, `${name}/`) : []
  })
  return (await Promise.all(names)).flat()
}
