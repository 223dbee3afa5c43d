import type { Schema } from '@murmuration/core'
import type { LayersModel, Shape } from '@tensorflow/tfjs-layers'
import { tensorflow as tf } from '../tensorflow.js'
import type { Layer } from '../weights.js'
import { activationNames, type ActivationName } from './activations.js'

/** A dense layer f(x W + b): W is [inputs, units]; the softmax of the last layer is part of the loss. */
export interface DenseLayer {
  readonly inputs: number
  readonly units: number
  readonly hasBias: boolean
  readonly activation: ActivationName | 'softmax'
}

/** A dense layer of a model. */
export interface ModelDenseLayer extends DenseLayer {
  /** Its number among the model's layers. */
  readonly place: number
}

/**
 * The dense layers of a model that is only a stack of them, whose flat vector has this schema: a sequential model of
 * unmodified TensorFlow.js layers, all trained, without regularisers and constraints, with a softmax at most at the
 * end. Layers that only change the shape of a sample may be in between. `undefined` for all other models.
 */
export function denseLayersOf(model: LayersModel, schema: Schema): readonly ModelDenseLayer[] | undefined {
  if (!isMadeBy(tf.Sequential, model) || schema.some(({ kind }) => kind !== undefined)) return undefined
  // A layer that is used twice has one weight for both uses.
  if (new Set(model.layers).size < model.layers.length) return undefined
  const { made, names } = examples()
  const found: ModelDenseLayer[] = []
  let shape = model.inputs[0].shape
  for (const [place, layer] of model.layers.entries()) {
    if (isMadeBy(made.dense, layer)) {
      const dense = denseLayerOf(layer, shape, names)
      if (dense === undefined || found.at(-1)?.activation === 'softmax') return undefined
      found.push({ place, ...dense })
    } else if (!keepsOrder(layer, made)) return undefined
    shape = layer.computeOutputShape(shape) as Shape
  }
  return found
}

type Constructor = abstract new (...given: never[]) => unknown

/**
 * Gets the classes that TensorFlow.js does not export, and those of its activations, from layers created for this
 * purpose.
 */
function examples() {
  const classOf = (layer: object) => layer.constructor as Constructor
  const { inputLayer, flatten, reshape, dense } = tf.layers
  const made = {
    input: classOf(inputLayer({ inputShape: [1] })),
    flatten: classOf(flatten()),
    reshape: classOf(reshape({ targetShape: [1] })),
    dense: classOf(dense({ units: 1 }))
  }
  const named = [...activationNames, 'softmax' as const].map((activation) => {
    return [activationOf(dense({ units: 1, activation }))?.constructor, activation] as const
  })
  return { made, names: new Map<unknown, DenseLayer['activation']>(named) }
}

/** Whether it is an instance of exactly this class, with unmodified methods. */
function isMadeBy(constructor: Constructor, made: object): boolean {
  return made.constructor === constructor && !Object.hasOwn(made, 'call') && !Object.hasOwn(made, 'apply')
}

/** Whether a layer keeps the order of a sample's numbers. */
function keepsOrder(layer: Layer, made: Readonly<Record<'input' | 'flatten' | 'reshape', Constructor>>): boolean {
  if (isMadeBy(made.flatten, layer)) return Reflect.get(layer, 'dataFormat') !== 'channelsFirst'
  return isMadeBy(made.input, layer) || isMadeBy(made.reshape, layer)
}

function denseLayerOf(
  layer: Layer,
  shape: Shape,
  names: ReadonlyMap<unknown, DenseLayer['activation']>
): DenseLayer | undefined {
  const activation = names.get(activationOf(layer)?.constructor)
  const [kernel, bias] = layer.weights
  const isPlain =
    layer.weights.every((weight) => (Reflect.get(weight, 'constraint') ?? null) === null) && layer.losses.length === 0
  // A module may have replaced a layer's weights by those of another one.
  const isOwn = Reflect.get(layer, 'kernel') === kernel && (Reflect.get(layer, 'bias') ?? undefined) === bias
  if (activation === undefined || !isPlain || !isOwn || shape.length !== 2) return undefined
  const [inputs, units] = kernel.shape.map(Number)
  return { inputs, units, hasBias: bias !== undefined, activation }
}

function activationOf(layer: Layer): object | undefined {
  return Reflect.get(layer, 'activation') as object | undefined
}
