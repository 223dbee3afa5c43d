import type {
  DepthwiseConv2dNativeBackpropFilterAttrs,
  DepthwiseConv2dNativeBackpropInputAttrs,
  KernelConfig,
  Tensor,
  Tensor4D
} from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { composed, valuesOf } from './composed.js'
import type { WindowShape } from './patches.js'
import { paddedForFlippedFilter } from './padded.js'

const {
  backend_util,
  DepthwiseConv2dNativeBackpropFilter,
  DepthwiseConv2dNativeBackpropInput,
  depthwiseConv2d,
  reshape,
  reverse,
  sum,
  tensor4d
} = core

/** The gradients of depthwise convolutions, which the backend lacks. */
export const depthwiseKernels: readonly KernelConfig[] = [
  composed<'x' | 'dy', DepthwiseConv2dNativeBackpropFilterAttrs>(
    DepthwiseConv2dNativeBackpropFilter,
    ({ x, dy }, { strides, dilations, pad, dimRoundingMode, filterShape }) => {
      const { shape: inputShape } = x as Tensor4D
      return filterGradient(
        x,
        dy,
        backend_util.computeConv2DInfo(inputShape, filterShape, strides, dilations, pad, dimRoundingMode, true)
      )
    }
  ),
  composed<'dy' | 'filter', DepthwiseConv2dNativeBackpropInputAttrs>(
    DepthwiseConv2dNativeBackpropInput,
    ({ dy, filter }, { strides, dilations, pad, dimRoundingMode, inputShape }) => {
      const { shape: filterShape } = filter as Tensor4D
      return inputGradient(
        dy,
        filter,
        backend_util.computeConv2DInfo(inputShape, filterShape, strides, dilations, pad, dimRoundingMode, true)
      )
    }
  )
]

/** The depthwise convolution with the filter rotated by 180°, then the sum over the outputs of each input channel. */
function inputGradient(dy: Tensor, filter: Tensor, shape: WindowShape): Tensor {
  const { filterHeight, filterWidth, inChannels, outChannels, dilationHeight, dilationWidth } = shape
  const flipped = reverse(reshape(filter, [filterHeight, filterWidth, outChannels, 1]), [0, 1])
  const { images, padding } = paddedForFlippedFilter(dy as Tensor4D, shape)
  const dilations: [number, number] = [dilationHeight, dilationWidth]
  const convolved: Tensor4D = depthwiseConv2d(images, flipped as Tensor4D, 1, padding, 'NHWC', dilations)
  if (outChannels === inChannels) return convolved
  return reshape(sum(reshape(convolved, [-1, outChannels / inChannels]), 1), shape.inShape)
}

/** `dF[i, j, c, m] = Σ_{n, y, x} X[n, y·s + i·d − p, x·s + j·d − p, c] · dY[n, y, x, c·M + m]`, summed directly. */
function filterGradient(x: Tensor, dy: Tensor, shape: WindowShape): Tensor {
  const { filterShape, filterHeight, filterWidth, outChannels, batchSize, outHeight, outWidth } = shape
  const input = valuesOf(x)
  const incoming = valuesOf(dy)
  const gradient = new Float32Array(filterHeight * filterWidth * outChannels)
  const outputs = batchSize * outHeight * outWidth
  for (let output = 0; output < outputs; output++) addOutput(gradient, shape, input, incoming, output)
  return tensor4d(gradient, filterShape)
}

/**
 * Adds the contribution of one place of the output to every tap; places are numbered along samples, rows and columns.
 */
function addOutput(
  gradient: Float32Array,
  shape: WindowShape,
  input: Float32Array,
  incoming: Float32Array,
  output: number
) {
  const { inHeight, inWidth, outHeight, outWidth, filterHeight, filterWidth, inChannels, outChannels, padInfo } = shape
  const top = (Math.floor(output / outWidth) % outHeight) * shape.strideHeight - padInfo.top
  const left = (output % outWidth) * shape.strideWidth - padInfo.left
  const sampleRow = Math.floor(output / (outWidth * outHeight)) * inHeight
  for (let i = 0; i < filterHeight; i++) {
    const row = top + i * shape.dilationHeight
    if (row < 0 || row >= inHeight) continue
    for (let j = 0; j < filterWidth; j++) {
      const column = left + j * shape.dilationWidth
      if (column < 0 || column >= inWidth) continue
      const pixel = ((sampleRow + row) * inWidth + column) * inChannels
      addTap(gradient, (i * filterWidth + j) * outChannels, input, pixel, incoming, output * outChannels, shape)
    }
  }
}

function addTap(
  gradient: Float32Array,
  tap: number,
  input: Float32Array,
  pixel: number,
  incoming: Float32Array,
  output: number,
  { inChannels, outChannels }: WindowShape
): void {
  const multiplier = outChannels / inChannels
  for (let copy = 0; copy < multiplier; copy++) {
    for (let channel = 0, o = copy; channel < inChannels; channel++, o += multiplier) {
      gradient[tap + o] += input[pixel + channel] * incoming[output + o]
    }
  }
}
