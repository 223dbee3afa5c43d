import type { LayersModel } from '@tensorflow/tfjs-layers'
import { tensorflow as tf } from './tensorflow.js'
import { partsOf } from './weights.js'

/**
 * Makes frozen batch normalisations normalise by their moving statistics in training too, as Keras does since version
 * 2: frozen layers then compute in training what they compute in use. TensorFlow.js would use the batch's statistics.
 */
export function freezeNormalisation(model: LayersModel): void {
  for (const { layer, isTrainable } of model.layers.flatMap((layer) => partsOf(layer, model.trainable))) {
    if (isTrainable || layer.getClassName() !== 'BatchNormalization') continue
    const call = layer.call.bind(layer)
    layer.call = (inputs, options) => call(inputs, { ...options, training: false })
  }
}

/**
 * Makes layer normalisations over the last axis broadcast means and variances, which TensorFlow.js repeats in memory,
 * both forward and backward. The results are the same but for rounding: γ (x − μ) / √(σ² + ε) + β (Ba, Kiros and Hinton
 * 2016, eq. 4).
 */
export function broadcastNormalisation(model: LayersModel): void {
  for (const { layer } of model.layers.flatMap((each) => partsOf(each))) {
    // Parts of others, such as the cells of recurrent layers, have no shape of their own.
    if (layer.getClassName() !== 'LayerNormalization' || !layer.built) continue
    const { axis, epsilon } = layer.getConfig() as { readonly axis?: unknown; readonly epsilon?: number }
    if (String(axis) !== String([layer.outputShape].flat().length - 1)) continue
    const weight = (suffix: string) =>
      layer.weights.find(({ originalName }) => originalName.endsWith(`/${suffix}`))?.read()
    layer.call = (inputs) =>
      tf.tidy(() => {
        const x = Array.isArray(inputs) ? inputs[0] : inputs
        const centred = tf.sub(x, tf.mean(x, -1, true))
        const variance = tf.mean(tf.square(centred), -1, true)
        const normal = tf.mul(centred, tf.rsqrt(tf.add(variance, epsilon ?? 1e-3)))
        const gamma = weight('gamma')
        const beta = weight('beta')
        const scaled = gamma === undefined ? normal : tf.mul(normal, gamma)
        return beta === undefined ? scaled : tf.add(scaled, beta)
      })
  }
}
