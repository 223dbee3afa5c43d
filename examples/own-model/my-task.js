/**
 * A model of one's own, as a small module:
 *
 *   npm run swarm -- topologies/ring-4.yaml --task examples/own-model/my-task.js
 *
 * `tf` is TensorFlow.js as this machine has it; the module installs nothing. Every peer loads the same file.
 */
export function createModel(tf, { inputShape, classes }) {
  return tf.sequential({
    layers: [
      tf.layers.depthwiseConv2d({ inputShape, kernelSize: 5, strides: 2, depthMultiplier: 8, activation: 'relu' }),
      tf.layers.layerNormalization(),
      tf.layers.flatten(),
      tf.layers.dense({ units: 32, activation: 'tanh' }),
      tf.layers.dense({ units: classes })
    ]
  })
}
