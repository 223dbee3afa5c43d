import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import type { _FusedMatMulAttrs, Tensor, TensorInfo } from '@tensorflow/tfjs-core'
import { invariant } from '@murmuration/core'
import { core } from '#tfjs/packages.js'
import { Products } from '../wasm/products.js'

const { add, elu, leakyRelu, prelu, relu, relu6, sigmoid, util } = core

type FusedActivation = _FusedMatMulAttrs['activation']

/** The address of a tensor's numbers in the backend's memory. */
export function addressOf(backend: BackendWasm, { dataId }: TensorInfo): number {
  return backend.dataIdMap.get(dataId).memoryOffset
}

/** The bounds to which activations clamp. */
const bounds: Readonly<Partial<Record<FusedActivation, readonly [number, number]>>> = {
  linear: [-Infinity, Infinity],
  relu: [0, Infinity],
  relu6: [0, 6]
}

/**
 * Adds the bias to a product of that many columns and applies the activation, in place; `undefined` where that takes
 * more than a bias per column and bounds.
 */
export function finishOf(
  backend: BackendWasm,
  columns: number,
  activation: FusedActivation,
  bias?: TensorInfo
): ((out: TensorInfo) => void) | undefined {
  const bound = bounds[activation]
  if (bound === undefined || (bias !== undefined && !util.arraysEqual(bias.shape, [columns]))) return undefined
  return (out) => {
    const size = util.sizeFromShape(out.shape)
    if (size === 0 || (bias === undefined && activation === 'linear')) return
    const finish = { bias: bias ? addressOf(backend, bias) : 0, min: bound[0], max: bound[1] }
    Products.of(backend).finish(addressOf(backend, out), size / columns, columns, finish)
  }
}

interface FusedAttributes {
  readonly activation: FusedActivation
  readonly leakyreluAlpha?: number
}

/**
 * The same, composed of the backend's operations, for any bias and activation; a fused kernel has both among its
 * inputs.
 */
export function activated(x: Tensor, attributes: FusedAttributes, inputs: Readonly<Record<string, Tensor>>): Tensor {
  const { bias, preluActivationWeights: weights }: Readonly<Record<string, Tensor | undefined>> = inputs
  const biased = bias ? add(x, bias) : x
  switch (attributes.activation) {
    case 'linear':
      return biased
    case 'relu':
      return relu(biased)
    case 'relu6':
      return relu6(biased)
    case 'elu':
      return elu(biased)
    case 'sigmoid':
      return sigmoid(biased)
    case 'leakyrelu':
      return leakyRelu(biased, attributes.leakyreluAlpha)
    case 'prelu':
      invariant(weights !== undefined, 'prelu has no weights')
      return prelu(biased, weights)
  }
}
