/**
 * Predictions of a model in memory: for a page's worker, since it loads TensorFlow.js.
 *
 * @packageDocumentation
 */
export { modelIn } from './model-file.js'
export { type Prediction, predictWith } from './predict-model.js'
