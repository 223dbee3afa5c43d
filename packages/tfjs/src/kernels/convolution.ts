import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import type {
  Conv2DAttrs,
  Conv2DBackpropFilterAttrs,
  Conv2DBackpropInputAttrs,
  FusedConv2DAttrs,
  KernelConfig,
  KernelFunc,
  Tensor4D,
  TensorInfo
} from '@tensorflow/tfjs-core'
import { invariant } from '@murmuration/core'
import { core } from '#tfjs/packages.js'
import { Products } from '../wasm/products.js'
import { composed } from './composed.js'
import { activated, addressOf, finishOf } from './fused.js'
import { forEachPatches, type WindowShape } from './patches.js'
import { paddedForFlippedFilter } from './padded.js'

const { backend_util, Conv2D, Conv2DBackpropFilter, Conv2DBackpropInput, conv2d, FusedConv2D, reverse, transpose } =
  core

/**
 * Convolutions and their gradients as products of this package's matrix kernels. Channels come last, as everywhere in
 * the WASM backend, which has no gradient for the filter, and one for the input that is several times slower.
 */
export const convolutionKernels: readonly KernelConfig[] = [
  { kernelName: Conv2D, backendName: 'wasm', kernelFunc: forward },
  { kernelName: FusedConv2D, backendName: 'wasm', kernelFunc: fusedForward },
  { kernelName: Conv2DBackpropFilter, backendName: 'wasm', kernelFunc: filterGradient },
  composed<'dy' | 'filter', Conv2DBackpropInputAttrs>(
    Conv2DBackpropInput,
    ({ dy, filter }, { strides, pad, dimRoundingMode, inputShape }) => {
      const weights = filter as Tensor4D
      const shape = backend_util.computeConv2DInfo(inputShape, weights.shape, strides, 1, pad, dimRoundingMode)
      const { images, padding } = paddedForFlippedFilter(dy as Tensor4D, shape)
      const flipped: Tensor4D = transpose(reverse(weights, [0, 1]), [0, 1, 3, 2])
      return conv2d(images, flipped, 1, padding)
    }
  )
]

function forward({ inputs, backend, attrs }: Parameters<KernelFunc>[0]): TensorInfo {
  const { x, filter } = inputs as { x: TensorInfo; filter: TensorInfo }
  return convolution(backend as BackendWasm, x, filter, attrs as unknown as Conv2DAttrs)
}

function fusedForward(call: Parameters<KernelFunc>[0]): TensorInfo {
  const { x, filter, bias } = call.inputs as { x: TensorInfo; filter: TensorInfo; bias?: TensorInfo }
  const attributes = call.attrs as unknown as FusedConv2DAttrs
  const backend = call.backend as BackendWasm
  const finish = finishOf(backend, filter.shape[3], attributes.activation, bias)
  if (finish === undefined) return unfused.kernelFunc(call) as TensorInfo
  const out = convolution(backend, x, filter, attributes)
  finish(out)
  return out
}

const unfused = composed<'x' | 'filter', FusedConv2DAttrs>(FusedConv2D, (inputs, attributes) => {
  const { strides, pad, dataFormat, dilations, dimRoundingMode } = attributes
  const x = inputs.x as Tensor4D
  const filter = inputs.filter as Tensor4D
  return activated(conv2d(x, filter, strides, pad, dataFormat, dilations, dimRoundingMode), attributes, inputs)
})

/** `Y[n, y, x, o] = Σ_{i, j, c} X[n, y·s + i·d − p, x·s + j·d − p, c] · F[i, j, c, o]` */
function convolution(backend: BackendWasm, x: TensorInfo, filter: TensorInfo, attributes: Conv2DAttrs): TensorInfo {
  const shape = shapeOf(x, filter.shape, attributes)
  const out = backend.makeOutput(shape.outShape, 'float32')
  const columns = shape.outChannels
  const outputs = shape.outHeight * shape.outWidth
  forEachPatches(backend, x, shape, ({ first, count, pixels, taps }) => {
    Products.of(backend).multiply({
      left: { rows: pixels, terms: taps },
      right: { address: addressOf(backend, filter), termStride: 4 * columns, columnStride: 4 },
      rows: count * outputs,
      terms: tapsOf(shape),
      columns,
      out: addressOf(backend, out) + 4 * first * outputs * columns
    })
  })
  return out
}

/**
 * `dF[i, j, c, o] = Σ_{n, y, x} X[n, y·s + i − p, x·s + j − p, c] · dY[n, y, x, o]`: the rows and terms of the forward
 * product are exchanged.
 */
function filterGradient({ inputs, backend: anyBackend, attrs }: Parameters<KernelFunc>[0]): TensorInfo {
  const backend = anyBackend as BackendWasm
  const { x, dy } = inputs as { x: TensorInfo; dy: TensorInfo }
  const attributes = attrs as unknown as Conv2DBackpropFilterAttrs
  const shape = shapeOf(x, attributes.filterShape, { ...attributes, dilations: 1 })
  const out = backend.makeOutput(shape.filterShape, 'float32')
  const columns = shape.outChannels
  const outputs = shape.outHeight * shape.outWidth
  const product = { rows: tapsOf(shape), columns, out: addressOf(backend, out) }
  forEachPatches(backend, x, shape, ({ first, count, pixels, taps }) => {
    const address = addressOf(backend, dy) + 4 * first * outputs * columns
    Products.of(backend).multiply({
      ...product,
      left: { rows: taps, terms: pixels },
      right: { address, termStride: 4 * columns, columnStride: 4 },
      terms: count * outputs,
      adds: first > 0
    })
  })
  return out
}

function tapsOf({ filterHeight, filterWidth, inChannels }: WindowShape): number {
  return filterHeight * filterWidth * inChannels
}

function shapeOf(x: TensorInfo, filterShape: number[], attributes: Conv2DAttrs): WindowShape {
  const { strides, dilations, pad, dimRoundingMode, dataFormat } = attributes
  invariant(x.dtype === 'float32', () => `found a convolution of ${x.dtype}, expected float32`)
  invariant(dataFormat === 'NHWC', () => `found a convolution of ${dataFormat}, expected NHWC in the WASM backend`)
  return backend_util.computeConv2DInfo(
    x.shape as Tensor4D['shape'],
    filterShape as Tensor4D['shape'],
    strides,
    dilations,
    pad,
    dimRoundingMode
  )
}
