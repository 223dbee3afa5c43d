/**
 * What a peer needs: the records of tasks, and tasks in threads of their own. The tasks themselves are loaded by name
 * where they compute, and with them what reads data.
 *
 * @packageDocumentation
 */
export type { TaskSet } from './task-set.js'
export { loadTask, type TaskModules } from './load-task.js'
export * from './modules.js'
export { type Network, type TaskRecord, taskRecord } from './record.js'
export { taskRecords } from './registry.js'
export * from './sample-weights.js'
export { kernelNeedsAll } from './svm/kernels.js'
export { setTaskProgram } from './task-program.js'
export type { TaskWorkerOptions } from './task-thread.js'
export { buildTaskHere } from './task-here.js'
export { type StageTaskWorker, startTaskWorker, type TaskWorker, type ThreadWork } from './task-worker.js'
export { blame, placeOf } from './user-code.js'
