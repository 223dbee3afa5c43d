/**
 * Tasks without TensorFlow.js, data sets, how they are shared out among the peers, and tasks in threads of their own.
 *
 * @packageDocumentation
 */
export * from './about.js'
export type { TaskFamily } from './family.js'
export { type KnownSetName, knownSetNames } from './files/known-sets.js'
export {
  createLogisticFamily,
  createLogisticTask,
  type LogisticTaskOptions,
  logisticTaskModule
} from './logistic-task.js'
export { openTest } from './open-data.js'
export { type FamilyOptions, openFamily } from './open-family.js'
export * from './partition.js'
export type { QuadraticTaskOptions } from './quadratic-options.js'
export {
  createQuadraticFamily,
  createQuadraticTask,
  type QuadraticFamily,
  type QuadraticTask,
  quadraticTaskModule
} from './quadratic-task.js'
export * from './sample-weights.js'
export * from './samples.js'
export { fingerprintsOf } from './fingerprint.js'
export * from './share.js'
export { createSoftmaxFamily, createSoftmaxTask, type SoftmaxTaskOptions, softmaxTaskModule } from './softmax-task.js'
export type { TaskWorkerOptions } from './task-thread.js'
export { startTaskWorker, type TaskWorker } from './task-worker.js'
export { blame, placeOf } from './user-code.js'
