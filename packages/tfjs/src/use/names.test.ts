import test from 'ava'
import { chooseBackend, onBackend } from '../backend.js'
import { tensorflow as tf } from '../tensorflow.js'
import { kerasNames } from './names.js'

const l = tf.layers

/** The names of a model's weights, however many layers the process has made before. */
async function namesOf(build: () => ReturnType<typeof tf.model>): Promise<readonly string[]> {
  const { name } = await chooseBackend('cpu')
  const model = await onBackend(name, () => (l.dense({ units: 1 }), l.lstm({ units: 1 }), build()))
  return onBackend(name, () => kerasNames(model))
}

const ofLayer = (layer: string, ...weights: readonly string[]) => weights.map((weight) => `${layer}/${weight}`)
const cell = ['kernel', 'recurrent_kernel', 'bias']

// As Keras 3.15 prints f'{layer.name}/{weight.name}', with its own path where a layer has several of a name.
test.serial('weights have the names that Keras gives them', async (t) => {
  const inputShape = [8, 8, 3]
  const convolutions = () =>
    tf.sequential({
      layers: [
        l.depthwiseConv2d({ inputShape, kernelSize: 3 }),
        l.separableConv2d({ filters: 2, kernelSize: 2 }),
        l.depthwiseConv2d({ kernelSize: 1, useBias: false }),
        l.conv2dTranspose({ filters: 2, kernelSize: 2 }),
        l.prelu()
      ]
    })
  t.deepEqual(await namesOf(convolutions), [
    ...ofLayer('depthwise_conv2d', 'kernel', 'bias'),
    ...ofLayer('separable_conv2d', 'depthwise_kernel', 'pointwise_kernel', 'bias'),
    'depthwise_conv2d_1/kernel',
    ...ofLayer('conv2d_transpose', 'kernel', 'bias'),
    'p_re_lu/alpha'
  ])
  const texts = () =>
    tf.sequential({
      layers: [
        l.embedding({ inputDim: 5, outputDim: 3, inputLength: 4 }),
        l.lstm({ units: 2, returnSequences: true }),
        l.bidirectional({ layer: l.lstm({ units: 2, returnSequences: true }), mergeMode: 'concat' }),
        l.timeDistributed({ layer: l.dense({ units: 2 }) }),
        l.flatten(),
        l.dense({ units: 1 })
      ]
    })
  t.deepEqual(await namesOf(texts), [
    'embedding/embeddings',
    ...ofLayer('lstm', ...cell),
    ...ofLayer('bidirectional/forward_lstm_1', ...cell),
    ...ofLayer('bidirectional/backward_lstm_1', ...cell),
    ...ofLayer('time_distributed', 'kernel', 'bias'),
    ...ofLayer('dense_1', 'kernel', 'bias')
  ])
  const frames = () =>
    tf.sequential({ layers: [l.convLstm2d({ inputShape: [3, 6, 6, 2], filters: 2, kernelSize: 2 }), l.flatten()] })
  t.deepEqual(await namesOf(frames), ofLayer('conv_lstm2d', ...cell))
})

test.serial('layers are numbered in the order in which they were made, not in which they compute', async (t) => {
  const shared = () => {
    const input = tf.input({ shape: [8] })
    const later = l.dense({ units: 8, useBias: false, kernelInitializer: 'zeros' })
    const first = l.dense({ units: 8, useBias: false, kernelInitializer: 'ones' })
    return tf.model({ inputs: input, outputs: later.apply(first.apply(input)) as never })
  }
  t.deepEqual(await namesOf(shared), ['dense_1/kernel', 'dense/kernel'])
})
