import type { BackendSpeed } from './speed.js'
import type { Task } from '@murmuration/core'
import type { TfjsTaskOptions } from './task.js'
import type { TrainedModel, TrainedModelParts } from './use/trained-model.js'

/** The module that builds the task in a worker thread. */
export const tfjsTaskModule = new URL('./task.js', import.meta.url).href

/**
 * Builds a task over a TensorFlow.js model on local data. TensorFlow.js is loaded by the first call: who only names
 * {@link tfjsTaskModule}, for a thread to load, does not need it.
 * Rejects with an InputError for options, data or a module that make no sense.
 */
export async function createTfjsTask(options: TfjsTaskOptions): Promise<Task> {
  const { createTask } = await import('./task.js')
  return createTask(options)
}

/** A trained model, to use and to export. Rejects with an InputError where the parameters are not those of the model. Loads TensorFlow.js. */
export async function loadTrainedModel(parts: TrainedModelParts): Promise<TrainedModel> {
  return (await import('./use/trained-model.js')).TrainedModel.of(parts)
}

/** The backend that computes here, and how fast it multiplies. Loads TensorFlow.js. */
export async function measureBackend(): Promise<BackendSpeed> {
  return (await import('./speed.js')).measure()
}
