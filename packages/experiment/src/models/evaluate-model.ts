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

/** Options for evaluating a model. */
export interface EvaluationOptions {
  /** Replaces the test split of its training: a data set by name, of which the test split counts, or a folder or file, all of which counts. */
  readonly data?: string | undefined
  /** The module with the model, if the model was trained by one. */
  readonly task?: string | undefined
  readonly signal: AbortSignal
}

/** The result of an evaluation. */
export interface ModelEvaluation extends Evaluation {
  readonly facts: ModelFacts
  /** The data of the evaluation, in words. */
  readonly data: string
}

/**
 * Evaluates a saved model on the test split of its run, or on other samples. Throws an InputError for a file that is not a model, and for
 * data that do not fit it.
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

/** The task with the test split of the run, or with other samples. */
async function descriptionOf(facts: ModelFacts, data: string | undefined): Promise<TaskDescription> {
  // If each machine of the run had its own data, all data here are this machine's.
  const common: LearningTask = { ...facts.learning, partition: 'equal' }
  const { peers, seed, signature } = facts
  if (data === undefined) return taskDescription(common, { peers, seed })
  const given = dataOf(data, common.data)
  if (typeof given === 'string' || !('path' in given)) {
    // The test split of these data, not the separate test set of the run.
    const test = typeof common.test === 'number' ? common.test : defaultTest
    return taskDescription({ ...common, data: given, test }, { peers, seed })
  }
  // The training data need not be on this machine: nothing is learned, and there is one peer.
  const learning: LearningTask = { ...common, data: given, test: { path: given.path, sha256: await checksumsIn(data) } }
  return taskDescription(learning, { peers: ['all'], seed, ...(signature && { like: signature }) })
}

/** Of a file and its partner, or of the files in a folder and its subfolders. In runs they show that all peers have the same test set. */
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

/** The files of a folder, and those of its class folders as `CLASS/FILE`. */
async function filesIn(folder: string, prefix = ''): Promise<readonly string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  const names = entries.map(async (entry) => {
    const name = `${prefix}${entry.name}`
    if (entry.isFile()) return [name]
    return entry.isDirectory() && prefix === '' ? filesIn(folder, `${name}/`) : []
  })
  return (await Promise.all(names)).flat()
}
