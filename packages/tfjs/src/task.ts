import { InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import {
  describeLocalData,
  type DataDescription,
  loadLocalData,
  openTest,
  type LocalData,
  type SplitOptions,
  localDataOf
} from '@murmuration/data'
import { chooseBackend, onBackend } from './backend.js'
import type { BackendChoice } from './backend-choice.js'
import { buildingBackend } from './compute.js'
import { describe } from './describe.js'
import { lossFor } from './loss.js'
import { buildModel, type ModelDescription } from './model.js'
import { checkedSamples } from './own-data.js'
import { withLateWeights } from './stages/late-weights.js'
import type { TfjsTaskParts } from './task-parts.js'
import { TfjsTask } from './tfjs-task.js'
import { loadUserModule } from '#tfjs/load-user-module.js'
import type { UserModule } from './user-module.js'
import { watchWrites } from './written.js'

/** Options of {@link createTask}. JSON. */
export interface TfjsTaskOptions {
  /** Its `data` is absent, or `digits`, the default, when the model's module loads its own. */
  readonly localData: SplitOptions & { readonly data?: DataDescription }
  readonly model: ModelDescription
  /** A required backend; 'auto', the best that loads, by default. */
  readonly backend?: BackendChoice
  /** Whether weights take memory when they are first used: for a task of which only a stage is; false when absent. */
  readonly hasLateWeights?: boolean
  /** Of the draws of a model in training, such as those of dropout; that of the data when absent. */
  readonly seed?: number
}

/**
 * Builds a task over a TensorFlow.js model on local data. Throws an {@link InputError} for options, data or a module
 * that make no sense.
 */
export async function createTask(options: TfjsTaskOptions): Promise<Task> {
  const backend = await chooseBackend(options.backend)
  const { model: description, localData: dataOptions, seed = dataOptions.seed, hasLateWeights = false } = options
  const module = description.kind === 'module' ? await loadUserModule(description.path) : undefined
  const moduleOptions = description.kind === 'module' ? description.options : undefined
  const { localData, about } = await loadData(dataOptions, moduleOptions, module)
  const { inputShape, targetShape, classes } = localData.train
  const context = { inputShape, targetShape, classes, options: moduleOptions }
  const building = buildingBackend(backend.name)
  if (module?.keepWeights === true) watchWrites()
  // Weights that the module loads are in memory anyway.
  const isLate = hasLateWeights && module?.keepWeights !== true
  const build = () => buildModel(description, context, module)
  const model = await onBackend(building, () => (isLate ? withLateWeights(build) : build()))
  const parts: TfjsTaskParts = {
    backend,
    localData,
    model,
    loss: lossFor(model, classes, module),
    hasOwnLoss: module?.loss !== undefined,
    isLanguageModel: localData.train.preprocessing?.kind === 'text' && module?.loss === undefined,
    keepWeights: module?.keepWeights ?? false,
    hasLateWeights: isLate,
    ...(description.kind === 'module' ? { userModule: description.path } : {}),
    random: createRandom(seed, `draws of ${dataOptions.self ?? 'all'}`),
    about: { model: describe(description, model), backend: backend.name, backendReason: backend.reason, ...about }
  }
  return onBackend(building, () => new TfjsTask(parts))
}

interface Data {
  readonly localData: LocalData
  readonly about: { readonly data: string; readonly partition: string }
}

async function loadData(
  options: TfjsTaskOptions['localData'],
  moduleOptions: unknown,
  module?: UserModule
): Promise<Data> {
  const { data, ...split } = options
  if (module?.loadSamples !== undefined) {
    if (data !== undefined && data.kind !== 'digits') {
      throw new InputError(
        "the model's module loads its own samples (loadSamples), and data is given too; remove one of them"
      )
    }
    const samples = checkedSamples(await module.loadSamples({ seed: split.seed, options: moduleOptions }))
    const localData = localDataOf(samples, split, await openTest(split))
    return { localData, about: describeLocalData(localData, split) }
  }
  if (data === undefined) {
    throw new InputError('localData.data is missing; only a module that exports loadSamples needs none')
  }
  const localData = await loadLocalData({ ...split, data })
  return { localData, about: describeLocalData(localData, options) }
}
