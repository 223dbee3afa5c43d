/**
 * Models that were trained: reading them, and evaluating them.
 *
 * @packageDocumentation
 */
export { evaluateModel, type EvaluationOptions, type ModelEvaluation } from './evaluate-model.js'
export { type LoadedModel, loadModel, type ModelFacts } from './model-file.js'
