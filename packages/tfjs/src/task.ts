import { InputError, messageOf, type Task } from '@murmuration/core'
import { aboutShare, loadShare, type Share, type ShareOptions } from '@murmuration/tasks'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { type BackendChoice, chooseBackend } from './backend.js'
import { lossFor } from './loss.js'
import { buildModel, type ModelDescription } from './model.js'
import { shareOut } from './own-data.js'
import { TfjsTask } from './tfjs-task.js'
import { loadUserModule, type UserModule, type UserSamples } from './user-module.js'

/** Options of {@link createTask}. JSON. */
export interface TfjsTaskOptions {
  /** Its `data` is not read when the model's module loads its own. */
  readonly share: ShareOptions
  readonly model: ModelDescription
  /** The backend to insist on; 'auto', the best that loads, by default. */
  readonly backend?: BackendChoice
}

/** The module that builds this task in a worker thread. */
export const tfjsTaskModule = new URL('./task.js', import.meta.url).href

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
    about: { model: describe(description, model), backend: backend.name, backendReason: backend.reason, ...about }
  })
}

interface Data {
  readonly share: Share
  readonly about: { readonly data: string; readonly partition: string }
}

async function loadData(options: ShareOptions, given: unknown, module?: UserModule): Promise<Data> {
  const own = await ownSamples(options.seed, given, module)
  const share = own ? shareOut(own, options) : await loadShare(options)
  if (!own) return { share, about: aboutShare(share, options) }
  const data = `${share.train.count} samples of the model's module for this peer, ${share.test.count} to test`
  return { share, about: { ...aboutShare(share, options), data } }
}

async function ownSamples(seed: number, options: unknown, module?: UserModule): Promise<UserSamples | undefined> {
  try {
    return await module?.loadSamples?.({ seed, options })
  } catch (error) {
    throw new InputError(`loadSamples of the model's module fails: ${messageOf(error)}`)
  }
}

function describe(description: ModelDescription, model: LayersModel): string {
  const kind = description.kind === 'module' ? `module ${description.path}` : description.kind
  const layers = model.layers.map((layer) => layer.getClassName()).join(', ')
  return `${kind}: ${layers}; ${model.countParams()} parameters`
}
