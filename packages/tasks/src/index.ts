/**
 * Tasks without TensorFlow.js, and tasks in threads of their own.
 *
 * @packageDocumentation
 */
export * from './peer.js'
export {
  createKnowledgeGraphTask,
  createKnowledgeGraphTaskSet,
  type KnowledgeGraphOptions
} from './knowledge-graph-task.js'
export { createLogisticTaskSet, createLogisticTask, type LogisticTaskOptions } from './logistic-task.js'
export {
  createMatrixFactorisationTask,
  createMatrixFactorisationTaskSet,
  type MatrixFactorisationOptions
} from './matrix-factorisation-task.js'
export type { QuadraticTaskOptions } from './quadratic-options.js'
export {
  createQuadraticTaskSet,
  createQuadraticTask,
  type QuadraticTaskSet,
  type QuadraticTask
} from './quadratic-task.js'
export { createSoftmaxTaskSet, createSoftmaxTask, type SoftmaxTaskOptions } from './softmax-task.js'
export { createSvmTask, createSvmTaskSet, type SvmTaskOptions } from './svm-task.js'
export { KernelMachine } from './svm/kernel-machine.js'
export type { KernelOptions } from './svm/kernels.js'
export { createWordVectorsTask, createWordVectorsTaskSet, type WordVectorsOptions } from './word-vectors-task.js'
