import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import type { backend_util, TensorInfo } from '@tensorflow/tfjs-core'
import { type Grid, Products } from '../wasm/products.js'
import { addressOf } from './fused.js'

/** The dimensions of a convolution or of pooling. */
export type WindowShape = backend_util.Conv2DInfo

/**
 * The samples `first` to `first + count`, and two grids: the address of the number under each tap, for each pixel of
 * the output, is the sum of both.
 */
export interface Patches {
  readonly first: number
  readonly count: number
  /** Samples, and the rows and columns of their outputs. */
  readonly pixels: Grid
  /** The filter's rows and columns, and channels. */
  readonly taps: Grid
}

/** The maximum bytes of padded images at a time, unless one image takes more. */
const paddedBytes = 2 ** 20

/**
 * Calls back with the patches of the images `x` that a convolution sees, for some samples at a time; they are valid
 * only during the call.
 */
export function forEachPatches(
  backend: BackendWasm,
  x: TensorInfo,
  shape: WindowShape,
  use: (patches: Patches) => void
): void {
  const { batchSize, outHeight, outWidth, inHeight, inWidth, inChannels, padInfo } = shape
  const newHeight = (outHeight - 1) * shape.strideHeight + shape.effectiveFilterHeight
  const newWidth = (outWidth - 1) * shape.strideWidth + shape.effectiveFilterWidth
  const { top, left } = padInfo
  const isInside = top === 0 && left === 0 && newHeight <= inHeight && newWidth <= inWidth
  if (isInside || batchSize === 0) {
    use({ first: 0, count: batchSize, ...gridsOf(shape, addressOf(backend, x), inHeight, inWidth) })
    return
  }
  const pixel = 4 * inChannels
  const maxImages = Math.max(1, Math.min(batchSize, Math.floor(paddedBytes / (newHeight * newWidth * pixel))))
  const padded = backend.makeOutput([maxImages, newHeight, newWidth, inChannels], 'float32')
  const target = addressOf(backend, padded)
  for (let first = 0; first < batchSize; first += maxImages) {
    const count = Math.min(maxImages, batchSize - first)
    const source = addressOf(backend, x) + first * inHeight * inWidth * pixel
    const height = inHeight
    const width = inWidth
    Products.of(backend).frame({ source, target, images: count, height, width, pixel, top, left, newHeight, newWidth })
    use({ first, count, ...gridsOf(shape, target, newHeight, newWidth) })
  }
  backend.disposeData(padded.dataId)
}

/** The grids in images of this height and width. */
function gridsOf(shape: WindowShape, address: number, height: number, width: number): Pick<Patches, 'pixels' | 'taps'> {
  const pixel = 4 * shape.inChannels
  return {
    pixels: {
      address,
      rows: shape.outHeight,
      columns: shape.outWidth,
      planeStride: height * width * pixel,
      rowStride: shape.strideHeight * width * pixel,
      columnStride: shape.strideWidth * pixel
    },
    taps: {
      address: 0,
      rows: shape.filterWidth,
      columns: shape.inChannels,
      planeStride: shape.dilationHeight * width * pixel,
      rowStride: shape.dilationWidth * pixel,
      columnStride: 4
    }
  }
}
