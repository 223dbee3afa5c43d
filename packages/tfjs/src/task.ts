import { InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import {
  aboutShare,
  type DataDescription,
  loadShare,
  openTest,
  type Share,
  type SplitOptions,
  shareOut
} from '@murmuration/data'
import { type BackendChoice, chooseBackend } from './backend.js'
import { describe } from './describe.js'
import { lossFor } from './loss.js'
import { buildModel, type ModelDescription } from './model.js'
import { checkedSamples } from './own-data.js'
import { TfjsTask } from './tfjs-task.js'
import { loadUserModule, type UserModule } from './user-module.js'

/** Options of {@link createTask}. JSON. */
export interface TfjsTaskOptions {
  /** Its `data` is absent or `digits`, the default, when the model's module loads its own. */
  readonly share: SplitOptions & { readonly data?: DataDescription }
  readonly model: ModelDescription
  /** The backend to insist on; 'auto', the best that loads, by default. */
  readonly backend?: BackendChoice
}

/**
 * Builds a task over a TensorFlow.js model on a share of a data set.
 * Throws an {@link InputError} for options, data or a module that make no sense.
 */
export async function createTask(options: TfjsTaskOptions): Promise<Task> {
  const backend = await chooseBackend(options.backend)
  const { model: description, share: shareOptions } = options
  const module = description.kind === 'module' ? await loadUserModule(description.path) : undefined
  const given = description.kind === 'module' ? description.options : undefined
  const { share, about } = await loadData(shareOptions, given, module)
  const model = await buildModel(description, { ...share.train, options: given }, module)
  return new TfjsTask({
    backend,
    share,
    model,
    loss: lossFor(model, share.train.classes, module),
    keepWeights: module?.keepWeights ?? false,
    ...(description.kind === 'module' ? { userModule: description.path } : {}),
    random: createRandom(shareOptions.seed, `draws of ${shareOptions.self ?? 'all'}`),
    about: { model: describe(description, model), backend: backend.name, backendReason: backend.reason, ...about }
  })
}

interface Data {
  readonly share: Share
  readonly about: { readonly data: string; readonly partition: string }
}

async function loadData(options: TfjsTaskOptions['share'], given: unknown, module?: UserModule): Promise<Data> {
  const { data, ...split } = options
  if (module?.loadSamples !== undefined) {
    if (data !== undefined && data.kind !== 'digits') {
      throw new InputError(
        "the model's module loads samples of its own (loadSamples), and data is given as well; leave one of them out"
      )
    }
    const own = checkedSamples(await module.loadSamples({ seed: split.seed, options: given }))
    const share = shareOut(own, split, await openTest(split))
    return { share, about: aboutShare(share, split) }
  }
  if (data === undefined) {
    throw new InputError('share.data is missing; it is expected unless the model is a module that exports loadSamples')
  }
  const share = await loadShare({ ...split, data })
  return { share, about: aboutShare(share, options) }
}
