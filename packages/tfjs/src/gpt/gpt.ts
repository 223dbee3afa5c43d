import { InputError } from '@murmuration/core'
import type { LayersModel, SymbolicTensor } from '@tensorflow/tfjs-layers'
import { glorotNormal } from '../initialise.js'
import { tensorflow as tf } from '../tensorflow.js'
import type { ModelContext } from '../user-module.js'
import { registerLayers, initialDistribution } from './layers.js'
import { type GptSize, maxContext } from './size.js'

const gptLayers = registerLayers(tf)

/**
 * A small GPT (Radford et al. 2018, with the normalisations before each part, as in Radford et al. 2019): its input is
 * `[batch, length]` numbers of characters, its output `[batch, length, classes]` logits of the character that follows
 * each. Its perceptrons are four times as wide, with ReLU. Throws an {@link InputError} for sizes that do not fit each
 * other and for samples that are no texts.
 */
export function gpt(
  { layers, width, heads }: GptSize,
  { inputShape, targetShape, classes }: ModelContext
): LayersModel {
  if (inputShape.length !== 1 || String(targetShape) !== String(inputShape) || classes === undefined)
    throw new InputError(
      `the task gpt is for texts, whose samples have as many targets as inputs; found inputs of shape [${inputShape}] and targets of shape [${targetShape}]; ` +
        'give a .txt file as data, tiny-shakespeare, or sentences'
    )
  if (inputShape[0] > maxContext)
    throw new InputError(`the context is ${inputShape[0]} characters, expected at most ${maxContext}`)
  if (width % heads !== 0) throw new InputError(`width is ${width}, expected a multiple of heads, which is ${heads}`)
  const input = tf.input({ shape: [...inputShape] })
  const embedding = tf.layers.embedding({
    inputDim: classes,
    outputDim: width,
    embeddingsInitializer: tf.initializers.randomNormal(initialDistribution)
  })
  let x = gptLayers.positionEmbedding().apply(embedding.apply(input)) as SymbolicTensor
  for (let layer = 0; layer < layers; layer++) x = block(x, width, heads)
  return tf.model({ inputs: input, outputs: dense(classes, normalised(x)) })
}

/** x + attention(norm(x)), followed by the same with a perceptron. */
function block(x: SymbolicTensor, width: number, heads: number): SymbolicTensor {
  const attended = added(x, gptLayers.causalAttention({ heads }).apply(normalised(x)) as SymbolicTensor)
  return added(attended, dense(width, dense(4 * width, normalised(attended), 'relu')))
}

function dense(units: number, x: SymbolicTensor, activation: 'linear' | 'relu' = 'linear'): SymbolicTensor {
  return tf.layers.dense({ units, activation, kernelInitializer: glorotNormal() }).apply(x) as SymbolicTensor
}

function normalised(x: SymbolicTensor): SymbolicTensor {
  return tf.layers.layerNormalization({ epsilon: 1e-5 }).apply(x) as SymbolicTensor
}

function added(x: SymbolicTensor, y: SymbolicTensor): SymbolicTensor {
  return tf.layers.add().apply([x, y]) as SymbolicTensor
}
