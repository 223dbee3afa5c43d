/**
 * Trained models: reading, evaluating, using and exporting them.
 *
 * @packageDocumentation
 */
export { evaluateModel, type EvaluationOptions, type ModelEvaluation } from './evaluate-model.js'
export { type ContinuationOptions, continueText } from './continue-text.js'
export { loadModel } from './load-model.js'
export type { LoadedModel, ModelFacts } from './model-file.js'
export { exportFormats, type ExportFormat, exportModel, type ExportOptions } from './export-model.js'
export type { ClassProbability, Prediction } from './predict-model.js'
export { predict } from './predict-saved.js'
