import { type Evaluation, type Gradient, InputError, type Task, type Work } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { aboutShare, loadShare, type Samples, type Share, type ShareOptions } from '@murmuration/tasks'
import { lengthOf, sizeOf } from '@murmuration/vectors'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { type Backend, type BackendChoice, chooseBackend, useBackend } from './backend.js'
import { DropoutSeeds } from './dropout.js'
import { countRight, type Loss, lossFor } from './loss.js'
import { buildModel, type ModelDescription } from './model.js'
import { shareOut } from './own-data.js'
import { tensorflow as tf } from './tensorflow.js'
import { loadUserModule, type UserModule } from './user-module.js'
import { ModelWeights } from './weights.js'

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

/** Samples that are evaluated at a time. */
const chunkLength = 512

/**
 * A task over a TensorFlow.js model: what its weights are, its gradient on a batch, and its evaluation.
 * Throws an {@link InputError} for options, data or a module that make no sense.
 */
export async function createTask(options: TfjsTaskOptions): Promise<Task> {
  const { model: description, share: shareOptions } = options
  const backend = await chooseBackend(options.backend)
  const module = description.kind === 'module' ? await loadUserModule(description.path) : undefined
  const moduleOptions = description.kind === 'module' ? description.options : undefined
  const own = await module?.loadSamples?.({ seed: shareOptions.seed, options: moduleOptions })
  const share = own ? shareOut(own, shareOptions) : await loadShare(shareOptions)
  const { inputShape, targetShape, classes } = share.train
  const model = await buildModel(description, { inputShape, targetShape, classes, options: moduleOptions }, module)
  const weights = new ModelWeights(model)
  const about = {
    ...aboutShare(share, shareOptions),
    ...(own ? { data: `${share.train.count} samples of the model's module, ${share.test.count} to test` } : {}),
    model: `${describe(description)}, ${lengthOf(weights.schema)} parameters`,
    backend: backend.name,
    backendReason: backend.reason
  }
  return new TfjsTask({ share, model, weights, backend, about, module, loss: lossFor(model, classes, module) })
}
