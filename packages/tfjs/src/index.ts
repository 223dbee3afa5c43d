/**
 * Learning tasks from TensorFlow.js models: multilayer perceptrons, small convolutional networks, and any model that a
 * user's own module builds.
 *
 * @packageDocumentation
 */
export type { Backend } from './backend.js'
export { type BackendChoice, backendChoices } from './backend-choice.js'
export {
  backendChoiceFor,
  createTfjsTask,
  loadTrainedModel,
  measureBackend,
  svmClassifierFile,
  tfjsTaskModule
} from './lazy.js'
export type { BackendSpeed } from './speed.js'
export { cnnRecord, gptRecord, mlpRecord } from './records.js'
export type { ModelDescription } from './model.js'
export type { TfjsTaskOptions } from './task.js'
export type { SvmClassifierParts } from './use/onnx/svm-classifier.js'
export type { TrainedModel, TrainedModelParts } from './use/trained-model.js'
export type { LayersFormat } from './use/layers-format.js'
export type { TensorFlow } from './tensorflow.js'
export type { ModelContext, SamplesContext, UserModule, UserSamples } from './user-module.js'
