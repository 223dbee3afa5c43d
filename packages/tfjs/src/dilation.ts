import { InputError } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel, LayerVariable, layers } from '@tensorflow/tfjs-layers'
import { tensorflow as tf } from './tensorflow.js'
import { partsOf } from './weights.js'

/**
 * Makes dilated convolutions trainable, for which TensorFlow.js has no gradients: zeros are inserted into their
 * filters, as a dilation does, which then convolve without one. The gradient passes through the zeros to the filter's
 * own numbers.
 *
 * Throws an {@link InputError} for depthwiseConv2d layers, which ignore their dilationRate.
 */
export function dilateFilters(model: LayersModel): void {
  for (const { layer } of model.layers.flatMap((layer) => partsOf(layer))) {
    const rates: unknown = Reflect.get(layer, 'dilationRate')
    if (!isList(rates) || rates.every((rate) => rate === 1)) continue
    if (layer.getClassName() === 'DepthwiseConv2D') {
      throw new InputError(
        `a depthwiseConv2d layer has the dilationRate ${rates.join(', ')}, which TensorFlow.js does not apply; use separableConv2d`
      )
    }
    dilateLayer(layer, rates)
  }
}

function dilateLayer(layer: layers.Layer, rates: readonly number[]): void {
  for (const name of ['kernel', 'depthwiseKernel']) {
    const filter: unknown = Reflect.get(layer, name)
    // The layer's list of weights keeps the variable itself.
    if (isVariable(filter)) Reflect.set(layer, name, { read: () => dilated(filter.read(), rates) })
  }
  Reflect.set(
    layer,
    'dilationRate',
    rates.map(() => 1)
  )
}

/** Inserts zeros between neighbours on the first axes, so that they are as far apart as the rate says. */
function dilated(filter: Tensor, rates: readonly number[]): Tensor {
  return rates.reduce((tensor, rate, axis) => dilatedAxis(tensor, axis, rate), filter)
}

function dilatedAxis(filter: Tensor, axis: number, rate: number): Tensor {
  const { shape } = filter
  const before = shape.slice(0, axis)
  const extent = shape[axis]
  const after = shape.slice(axis + 1)
  const padded = tf.pad(tf.reshape(filter, [-1, extent, 1, sizeOf(after)]), [
    [0, 0],
    [0, 0],
    [0, rate - 1],
    [0, 0]
  ])
  const rows = tf.slice(
    tf.reshape(padded, [-1, extent * rate, sizeOf(after)]),
    [0, 0, 0],
    [-1, extent * rate - rate + 1, -1]
  )
  return tf.reshape(rows, [...before, extent * rate - rate + 1, ...after])
}

function isList(value: unknown): value is readonly number[] {
  return Array.isArray(value)
}

function isVariable(value: unknown): value is LayerVariable {
  return typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function'
}
