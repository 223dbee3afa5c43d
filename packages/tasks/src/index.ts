/**
 * Tasks without TensorFlow.js, and tasks in threads of their own.
 *
 * @packageDocumentation
 */
export type { TaskSet } from './task-set.js'
export { loadTask, type TaskModules } from './load-task.js'
export { type Network, type TaskRecord, taskRecord } from './record.js'
export { taskRecords } from './registry.js'
export {
  createKnowledgeGraphTask,
  createKnowledgeGraphTaskSet,
  knowledgeGraphModule,
  type KnowledgeGraphOptions
} from './knowledge-graph-task.js'
export {
  createLogisticTaskSet,
  createLogisticTask,
  type LogisticTaskOptions,
  logisticTaskModule
} from './logistic-task.js'
export {
  createMatrixFactorisationTask,
  createMatrixFactorisationTaskSet,
  matrixFactorisationModule,
  type MatrixFactorisationOptions
} from './matrix-factorisation-task.js'
export type { QuadraticTaskOptions } from './quadratic-options.js'
export {
  createQuadraticTaskSet,
  createQuadraticTask,
  type QuadraticTaskSet,
  type QuadraticTask,
  quadraticTaskModule
} from './quadratic-task.js'
export * from './sample-weights.js'
export { createSoftmaxTaskSet, createSoftmaxTask, type SoftmaxTaskOptions, softmaxTaskModule } from './softmax-task.js'
export { createSvmTask, createSvmTaskSet, kernelNeedsAll, svmTaskModule, type SvmTaskOptions } from './svm-task.js'
export { KernelMachine } from './svm/kernel-machine.js'
export type { KernelOptions } from './svm/kernels.js'
export { setTaskProgram } from './task-program.js'
export type { TaskWorkerOptions } from './task-thread.js'
export { buildTaskHere } from './task-here.js'
export { type StageTaskWorker, startTaskWorker, type TaskWorker, type ThreadWork } from './task-worker.js'
export {
  createWordVectorsTask,
  createWordVectorsTaskSet,
  wordVectorsModule,
  type WordVectorsOptions
} from './word-vectors-task.js'
export { blame, placeOf } from './user-code.js'
