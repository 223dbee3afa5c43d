import { isBrowser } from '@murmuration/platform'
import { type BackendChoice, maxWasmParameters } from './backend-choice.js'
import type { BackendSpeed } from './speed.js'
import type { Task } from '@murmuration/core'
import type { TfjsTaskOptions } from './task.js'
import type { SvmClassifierParts } from './use/onnx/svm-classifier.js'
import type { TrainedModel, TrainedModelParts } from './use/trained-model.js'

/** The module that builds the task in a worker thread; a page's thread gives it to `serveTask` under this name. */
export const tfjsTaskModule = isBrowser ? 'tfjs-task' : import.meta.resolve('./task.js')

/**
 * Builds a task over a TensorFlow.js model on local data. The first call loads TensorFlow.js: code that only passes
 * {@link tfjsTaskModule} to a thread does not need it. Rejects with an InputError for options, data or a module that
 * make no sense.
 */
export async function createTfjsTask(options: TfjsTaskOptions): Promise<Task> {
  const { createTask } = await import('./task.js')
  return createTask(options)
}

/**
 * A trained model, for use and export. Rejects with an InputError where the parameters do not fit the model. Loads
 * TensorFlow.js.
 */
export async function loadTrainedModel(parts: TrainedModelParts): Promise<TrainedModel> {
  return (await import('./use/trained-model.js')).TrainedModel.of(parts)
}

/** Which backend a trained model of so many parameters needs. Loads TensorFlow.js for large ones. */
export async function backendChoiceFor(parameters: number): Promise<BackendChoice> {
  if (parameters <= maxWasmParameters) return 'auto'
  const { name } = await (await import('./backend.js')).backendFor(parameters)
  return name === 'cpu' ? 'cpu' : 'auto'
}

/** This machine's backend, and how fast it multiplies. Loads TensorFlow.js. */
export async function measureBackend(): Promise<BackendSpeed> {
  return (await import('./speed.js')).measure()
}

/** See svm-classifier.ts, which is loaded first. */
export async function svmClassifierFile(
  parts: SvmClassifierParts,
  metadata: Readonly<Record<string, string>>
): Promise<Uint8Array> {
  return (await import('./use/onnx/svm-classifier.js')).svmClassifierFile(parts, metadata)
}
