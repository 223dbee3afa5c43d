import type { Conv2DAttrs, KernelConfig, KernelFunc, Tensor4D } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'

const { backend_util, DepthwiseConv2dNative, FusedDepthwiseConv2D, getKernel } = core

/**
 * Depthwise convolutions with padding 'same'. Where a filter is shorter than its stride, in height or width, the
 * backend's own are wrong: it computes a padding that differs from TensorFlow's. With the right padding given as
 * numbers they are right, at the same speed.
 */
export function forwardKernels(): KernelConfig[] {
  return [DepthwiseConv2dNative, FusedDepthwiseConv2D].map((kernelName) => {
    const original = getKernel(kernelName, 'wasm')
    const kernelFunc: KernelFunc = ({ inputs, backend, attrs }) => {
      const { x, filter } = inputs as { x: Tensor4D; filter: Tensor4D }
      const given = attrs as unknown as Conv2DAttrs
      const pad = given.pad === 'same' ? inNumbers(x, filter, given) : given.pad
      return original.kernelFunc({ inputs, backend, attrs: { ...attrs, pad } })
    }
    return { ...original, kernelFunc }
  })
}

function inNumbers(x: Tensor4D, filter: Tensor4D, attributes: Conv2DAttrs): Conv2DAttrs['pad'] {
  const { strides, dilations, pad, dimRoundingMode }: Partial<Conv2DAttrs> = attributes
  const shape = backend_util.computeConv2DInfo(
    x.shape,
    filter.shape,
    strides,
    dilations ?? 1,
    pad,
    dimRoundingMode,
    true
  )
  if (shape.filterHeight >= shape.strideHeight && shape.filterWidth >= shape.strideWidth) return pad
  const { top, bottom, left, right } = shape.padInfo
  return [
    [0, 0],
    [top, bottom],
    [left, right],
    [0, 0]
  ]
}
