/**
 * Tasks without TensorFlow.js, data sets, how they are shared out among the peers, and tasks in threads of their own.
 *
 * @packageDocumentation
 */
export * from './about.js'
export * from './partition.js'
export {
  createQuadraticTask,
  type QuadraticTask,
  type QuadraticTaskOptions,
  quadraticTaskModule
} from './quadratic-task.js'
export * from './samples.js'
export * from './share.js'
export { createSoftmaxTask, type SoftmaxTaskOptions, softmaxTaskModule } from './softmax-task.js'
export type { TaskWorkerOptions } from './task-thread.js'
export { startTaskWorker, type TaskWorker } from './task-worker.js'
