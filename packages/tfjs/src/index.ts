/**
 * Learning tasks from TensorFlow.js models: multilayer perceptrons, small convolutional networks, and any model that a
 * user's own module builds.
 *
 * @packageDocumentation
 */
export { type Backend, type BackendChoice, backendChoices, chooseBackend } from './backend.js'
export { activations, type ModelDescription } from './model.js'
export { createTask as createTfjsTask, type TfjsTaskOptions, tfjsTaskModule } from './task.js'
export type { TensorFlow } from './tensorflow.js'
export type { ModelContext, SamplesContext, UserModule, UserSamples } from './user-module.js'
