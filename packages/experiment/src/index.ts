/**
 * Experiments as files describe them: reads, checks and plans a training file or a scenario.
 * `@murmuration/experiment/peers` and `/sim` run them.
 *
 * @packageDocumentation
 */
export * from './base/errors.js'
export { epochText } from './base/epoch-text.js'
export type * from './base/events.js'
export { schemaFiles } from './schemas.js'
export { codecTable } from './training/codec-table.js'
export { taskTable } from './training/task-table.js'
export { choiceOf, loadAlgorithm } from './training/algorithm-choice.js'
export { makePlan } from './make-plan.js'
export { type RunPlan, planOf, type RunRequest, startEvent, taskOf } from './training/plan.js'
export { readTrainingFile } from './training/read-training-file.js'
export { parseTrainingFile, partitionOf, type TrainingOverrides } from './training/training-file.js'
export { type Training, trainingSchema } from './training/training-schema.js'
