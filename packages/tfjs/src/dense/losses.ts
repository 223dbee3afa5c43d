import { exp, log } from '@murmuration/core'
import { leastProbability } from '../loss.js'

/**
 * The mean loss of a batch from the last layer's outputs, row by row, and the batch's targets; writes its gradient with
 * respect to the outputs to `deltas`. Sums run in float64.
 */
export type BatchLoss = (outputs: Float32Array, targets: Float32Array, deltas: Float32Array) => number

/** The mean of (o − t)² over all numbers. */
export const squaredError: BatchLoss = (outputs, targets, deltas) => {
  let sum = 0
  for (let k = 0; k < outputs.length; k++) {
    const error = outputs[k] - targets[k]
    sum += error * error
    deltas[k] = (2 * error) / outputs.length
  }
  return sum / outputs.length
}

/**
 * The mean over the rows of −log p_t, p = softmax(outputs), t the row's class; its gradient is p − y with y_t = 1.
 * TensorFlow.js's models that end in a softmax are trained with −log max(p_t, least), which is flat below `least`;
 * `least` is 0 for models that give the outputs themselves.
 */
export function crossEntropy(classes: number, isSoftmax: boolean): BatchLoss {
  const minProbability = isSoftmax ? Math.fround(leastProbability) : 0
  const powers = new Float64Array(classes)
  return (outputs, targets, deltas) => {
    const rows = targets.length
    let loss = 0
    for (let row = 0; row < rows; row++) {
      const start = row * classes
      const target = targets[row]
      let largest = -Infinity
      for (let c = 0; c < classes; c++) largest = Math.max(largest, outputs[start + c])
      let sum = 0
      for (let c = 0; c < classes; c++) {
        powers[c] = exp(outputs[start + c] - largest)
        sum += powers[c]
      }
      const isFlat = powers[target] / sum < minProbability
      loss += isFlat ? -log(minProbability) : log(sum) + largest - outputs[start + target]
      for (let c = 0; c < classes; c++) {
        const error = powers[c] / sum - (c === target ? 1 : 0)
        deltas[start + c] = isFlat ? 0 : error / rows
      }
    }
    return loss / rows
  }
}
