import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { tensorflow as tf } from './tensorflow.js'
import type { UserModule } from './user-module.js'
import { partsOf } from './weights.js'

/** The mean loss of a batch. */
export type Loss = (outputs: Tensor, targets: Tensor) => Scalar

/** Smaller probabilities count as this one, so that no loss is infinite. */
export const leastProbability = 1e-7

/** The module's own loss, or else cross-entropy for classes and the mean squared error for real values. */
export function lossFor(model: LayersModel, classes: number | undefined, module?: UserModule): Loss {
  const userLoss = module?.loss?.bind(module)
  if (userLoss) return (outputs, targets) => userLoss(tf, outputs, targets)
  if (classes === undefined) return meanSquaredError
  const crossEntropy = endsInSoftmax(model) ? fromProbabilities : fromLogits
  return (outputs, targets) => crossEntropy(outputs, tf.oneHot(targets, classes, 1, 0, 'float32'))
}

/** How many of a batch's outputs are largest where the target is: a float32 scalar. */
export function countRight(outputs: Tensor, targets: Tensor): Scalar {
  return tf.sum<Scalar>(tf.cast(tf.equal(tf.argMax(outputs, -1), targets), 'float32'))
}

/** `mean( −Σ_c t_c · log softmax(z)_c )`, computed without overflow. */
function fromLogits(logits: Tensor, targets: Tensor): Scalar {
  return tf.losses.softmaxCrossEntropy<Tensor, Scalar>(targets, logits)
}

/** `mean( −Σ_c t_c · log p_c )`. */
function fromProbabilities(probabilities: Tensor, targets: Tensor): Scalar {
  const logarithms = tf.log(tf.maximum(probabilities, leastProbability))
  return tf.neg(tf.mean<Scalar>(tf.sum(tf.mul(targets, logarithms), -1)))
}

function meanSquaredError(outputs: Tensor, targets: Tensor): Scalar {
  return tf.losses.meanSquaredError(targets, tf.reshape(outputs, targets.shape))
}

/** Whether the model's outputs are already probabilities. */
export function endsInSoftmax(model: LayersModel): boolean {
  const last = partsOf(model.outputs[0].sourceLayer).at(-1)?.layer
  return last?.getClassName() === 'Softmax' || last?.getConfig().activation === 'softmax'
}
