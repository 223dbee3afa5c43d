import {
  backend_util,
  Conv2DBackpropFilter,
  type Conv2DBackpropFilterAttrs,
  Conv2DBackpropInput,
  type Conv2DBackpropInputAttrs,
  conv2d,
  type KernelConfig,
  matMul,
  reshape,
  reverse,
  type Tensor,
  type Tensor4D,
  transpose
} from '@tensorflow/tfjs-core'
import { composed } from './composed.js'
import { framed, readyForTurnedFilter } from './turned.js'

type Shape = backend_util.Conv2DInfo

/**
 * The gradients of a convolution, each of which is a convolution itself, so that both run on the backend's fast forward
 * kernel. It has none for the filter, and one for the input that is several times slower. Channels come last, as
 * everywhere in the WASM backend.
 */
export const convolutionKernels: readonly KernelConfig[] = [
  composed<'x' | 'dy', Conv2DBackpropFilterAttrs>(
    Conv2DBackpropFilter,
    ({ x, dy }, { strides, pad, dimRoundingMode, filterShape }) => {
      const pictures = x as Tensor4D
      const shape = backend_util.computeConv2DInfo(pictures.shape, filterShape, strides, 1, pad, dimRoundingMode)
      return isPointwise(shape)
        ? pointwiseFilterGradient(x, dy, shape)
        : filterGradient(pictures, dy as Tensor4D, shape)
    }
  ),
  composed<'dy' | 'filter', Conv2DBackpropInputAttrs>(
    Conv2DBackpropInput,
    ({ dy, filter }, { strides, pad, dimRoundingMode, inputShape }) => {
      const weights = filter as Tensor4D
      const shape = backend_util.computeConv2DInfo(inputShape, weights.shape, strides, 1, pad, dimRoundingMode)
      const { pictures, padding } = readyForTurnedFilter(dy as Tensor4D, shape)
      const turned: Tensor4D = transpose(reverse(weights, [0, 1]), [0, 1, 3, 2])
      return conv2d(pictures, turned, 1, padding)
    }
  )
]

/**
 * `dF[i, j, c, o] = Σ_{n, y, x} X[n, y·s + i − p, x·s + j − p, c] · dY[n, y, x, o]`: the input convolved with the
 * gradient, where input channels stand in for samples, samples for channels, and strides for dilations.
 */
function filterGradient(x: Tensor4D, dy: Tensor4D, shape: Shape): Tensor {
  const { strideHeight, strideWidth, padInfo } = shape
  const channelsAsSamples: Tensor4D = transpose(x, [3, 1, 2, 0])
  const gradientAsFilter: Tensor4D = transpose(dy, [1, 2, 0, 3])
  // Rows and columns at the end that no tap reaches, because the stride steps over them, are cut off.
  const { pictures, padding } = framed(channelsAsSamples, {
    top: padInfo.top,
    bottom: (shape.outHeight - 1) * strideHeight + shape.filterHeight - shape.inHeight - padInfo.top,
    left: padInfo.left,
    right: (shape.outWidth - 1) * strideWidth + shape.filterWidth - shape.inWidth - padInfo.left
  })
  const gradient = conv2d(pictures, gradientAsFilter, 1, padding, 'NHWC', [strideHeight, strideWidth])
  return transpose(gradient, [1, 2, 0, 3])
}

/** One tap without strides is a plain matrix product. */
function pointwiseFilterGradient(x: Tensor, dy: Tensor, shape: Shape): Tensor {
  const product = matMul(reshape(x, [-1, shape.inChannels]), reshape(dy, [-1, shape.outChannels]), true)
  return reshape(product, shape.filterShape)
}

function isPointwise(shape: Shape): boolean {
  const { filterHeight, filterWidth, strideHeight, strideWidth, inHeight, inWidth, outHeight, outWidth } = shape
  const oneTap = filterHeight === 1 && filterWidth === 1 && strideHeight === 1 && strideWidth === 1
  return oneTap && inHeight === outHeight && inWidth === outWidth
}
