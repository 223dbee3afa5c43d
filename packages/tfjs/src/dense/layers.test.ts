import { localDataOf } from '@murmuration/data'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import test from 'ava'
import { chooseBackend } from '../backend.js'
import { localData } from '../task.test.support.js'
import { type TensorFlow, tensorflow } from '../tensorflow.js'
import { ModelWeights } from '../weights.js'
import { denseLayersOf } from './layers.js'
import { denseNetworkOf } from './network.js'

type Build = (tf: TensorFlow) => LayersModel

const inputShape = [6, 6, 1]

/** A sequential model of these layers, after one that flattens the images, and before one with three classes. */
const between =
  (layers: (l: TensorFlow['layers'], tf: TensorFlow) => unknown[]): Build =>
  (tf) => {
    const l = tf.layers
    const inner = layers(l, tf) as ReturnType<typeof l.dense>[]
    return tf.sequential({ layers: [l.flatten({ inputShape }), ...inner, l.dense({ units: 3 })] })
  }

const stacks: Readonly<Record<string, Build>> = {
  'one layer': between(() => []),
  'layers of all activations': between((l) => [
    l.dense({ units: 4, activation: 'relu' }),
    l.dense({ units: 5, activation: 'sigmoid', useBias: false }),
    l.dense({ units: 6, activation: 'tanh' }),
    l.dense({ units: 7, activation: 'elu' })
  ]),
  'an input layer, and other shapes between': (tf) =>
    tf.sequential({
      layers: [
        tf.layers.inputLayer({ inputShape }),
        tf.layers.reshape({ targetShape: [36] }),
        tf.layers.dense({ units: 4 }),
        tf.layers.reshape({ targetShape: [2, 2] }),
        tf.layers.flatten(),
        tf.layers.dense({ units: 3, activation: 'softmax' })
      ]
    })
}

/** Layers that compute something else, or whose weights are shared or not trained. */
const others: Readonly<Record<string, Build>> = {
  'dropout': between((l) => [l.dense({ units: 4 }), l.dropout({ rate: 0.5 })]),
  'a batch normalisation': between((l) => [l.dense({ units: 4 }), l.batchNormalization()]),
  'an activation that is a layer': between((l) => [l.dense({ units: 4 }), l.leakyReLU()]),
  'an activation of another kind': between((l) => [l.dense({ units: 4, activation: 'selu' })]),
  'a softmax that is not last': between((l) => [l.dense({ units: 4, activation: 'softmax' })]),
  'a regulariser': between((l, tf) => [l.dense({ units: 4, kernelRegularizer: tf.regularizers.l2({ l2: 0.1 }) })]),
  'a constraint': between((l) => [l.dense({ units: 4, kernelConstraint: 'nonNeg' })]),
  'a frozen layer': between((l) => [l.dense({ units: 4, trainable: false })]),
  'a layer that comes twice': between((l) => {
    const layer = l.dense({ units: 36 })
    return [layer, layer]
  }),
  "another layer's weights": (tf) => {
    const model = between((l) => [l.dense({ units: 36 }), l.dense({ units: 36 })])(tf)
    Reflect.set(model.layers[2], 'kernel', model.layers[1].weights[0])
    return model
  },
  'a layer that computes in a way of its own': (tf) => {
    const model = between((l) => [l.dense({ units: 4 })])(tf)
    const [, layer] = model.layers
    const call = layer.call.bind(layer)
    layer.call = (inputs, options) => tf.neg(call(inputs, options) as ReturnType<typeof tf.neg>)
    return model
  },
  'a class of its own, by the same name': between((l) => {
    class Other extends (l.dense({ units: 1 }).constructor as new (args: object) => ReturnType<typeof l.dense>) {}
    return [new Other({ units: 4 })]
  }),
  'channels first': (tf) => {
    const l = tf.layers
    const layers = [l.flatten({ inputShape, dataFormat: 'channelsFirst' }), l.dense({ units: 3 })]
    return tf.sequential({ layers })
  },
  'a dense layer of each row of a picture': (tf) => {
    const l = tf.layers
    return tf.sequential({ layers: [l.dense({ inputShape, units: 2 }), l.flatten(), l.dense({ units: 3 })] })
  },
  'a convolution': (tf) => {
    const l = tf.layers
    const layers = [l.conv2d({ inputShape, filters: 2, kernelSize: 3 }), l.flatten(), l.dense({ units: 3 })]
    return tf.sequential({ layers })
  },
  'a graph of layers': (tf) => {
    const input = tf.input({ shape: inputShape })
    const flat = tf.layers.flatten().apply(input)
    return tf.model({ inputs: input, outputs: tf.layers.dense({ units: 3 }).apply(flat) as typeof input })
  },
  'a model in a model': (tf) => {
    const inner = tf.sequential({ layers: [tf.layers.flatten({ inputShape }), tf.layers.dense({ units: 4 })] })
    return tf.sequential({ layers: [inner, tf.layers.dense({ units: 3 })] })
  }
}

function built(build: Build) {
  const model = build(tensorflow)
  model.countParams()
  return { model, schema: new ModelWeights(model).schema }
}

test.before(() => chooseBackend('wasm'))

for (const [title, build] of Object.entries(stacks)) {
  test.serial(`a stack of dense layers: ${title}`, (t) => {
    const { model, schema } = built(build)
    const layers = denseLayersOf(model, schema)
    const shapes = layers?.flatMap(({ inputs, units, hasBias }) => [[inputs, units], ...(hasBias ? [[units]] : [])])
    t.deepEqual(
      shapes,
      schema.map(({ shape }) => [...shape])
    )
    const configurations = model.layers
      .map((layer) => layer.getConfig().activation)
      .filter((name) => name !== undefined)
    t.deepEqual(
      layers?.map(({ activation }) => activation),
      configurations as unknown[]
    )
  })
}

for (const [title, build] of Object.entries(others)) {
  test.serial(`not a stack of dense layers: ${title}`, (t) => {
    const { model, schema } = built(build)
    t.is(denseLayersOf(model, schema), undefined)
  })
}

test.serial('TensorFlow.js computes other losses, on other backends, and a softmax of real values', (t) => {
  const dataOf = (classes?: number) =>
    localDataOf(
      {
        count: 10,
        inputs: new Float32Array(360),
        inputShape,
        targets: new Float32Array(classes === undefined ? 30 : 10),
        targetShape: classes === undefined ? [3] : [],
        ...(classes === undefined ? {} : { classes })
      },
      localData(2)
    )
  const { model, schema } = built(stacks['an input layer, and other shapes between'])
  const parts = { backend: { name: 'wasm', reason: '' }, model, hasOwnLoss: false, localData: dataOf(3) }
  t.not(denseNetworkOf(parts, schema), undefined)
  t.is(denseNetworkOf({ ...parts, hasOwnLoss: true }, schema), undefined)
  t.is(denseNetworkOf({ ...parts, backend: { name: 'cpu', reason: '' } }, schema), undefined)
  t.is(denseNetworkOf({ ...parts, localData: dataOf() }, schema), undefined)
})
