import type { Tensor } from '@tensorflow/tfjs-core'
import test from 'ava'
import { chooseBackend } from './backend.js'
import { dilateFilters } from './dilation.js'
import { tensorflow as tf } from './tensorflow.js'

test.serial('a filter that is spread out by zeros gives what the dilated one gives', async (t) => {
  await chooseBackend('wasm')
  const { conv1d, conv2d, inputLayer, reshape, separableConv2d } = tf.layers
  for (const padding of ['same', 'valid'] as const) {
    const model = tf.sequential({
      layers: [
        inputLayer({ inputShape: [9, 8, 2] }),
        conv2d({ filters: 3, kernelSize: [2, 3], dilationRate: [3, 2], padding, activation: 'tanh' }),
        separableConv2d({ filters: 4, kernelSize: 2, dilationRate: 2, padding }),
        reshape({ targetShape: padding === 'same' ? [36, 8] : [8, 4] }),
        conv1d({ filters: 2, kernelSize: 3, dilationRate: 2, padding })
      ]
    })
    const x = tf.tensor(
      Float32Array.from({ length: 9 * 8 * 2 }, (_, k) => Math.sin(k * k)),
      [1, 9, 8, 2]
    )
    const outputs = () => (model.apply(x) as Tensor).dataSync<'float32'>().slice()
    const before = outputs()
    dilateFilters(model)
    t.true(outputs().every((value, k) => Math.abs(value - before[k]) < 1e-5))
  }
})
