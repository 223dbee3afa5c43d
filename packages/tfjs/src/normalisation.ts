import type { LayersModel } from '@tensorflow/tfjs-layers'
import { partsOf } from './weights.js'

/**
 * Lets frozen batch normalisations normalise by their moving statistics in training as well, as Keras does since version 2:
 * what is frozen then computes in training what it computes in use. TensorFlow.js would go by the batch.
 */
export function freezeNormalisation(model: LayersModel): void {
  for (const { layer, isTrainable } of model.layers.flatMap((layer) => partsOf(layer, model.trainable))) {
    if (isTrainable || layer.getClassName() !== 'BatchNormalization') continue
    const call = layer.call.bind(layer)
    layer.call = (inputs, options) => call(inputs, { ...options, training: false })
  }
}
