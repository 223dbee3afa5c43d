import type { backend_util, Tensor4D } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'

const { pad, reshape, slice } = core

/** Rows and columns of zeros around images; a negative number at the bottom or right crops instead. */
export interface Margins {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** The input of a forward convolution: images, and the zeros to put around them. */
export interface Padded {
  readonly images: Tensor4D
  readonly padding: [[0, 0], [number, number], [number, number], [0, 0]]
}

/**
 * The gradient of a convolution's output, prepared for the convolution with the filter rotated by 180° that gives the
 * gradient of its input: dilated by the strides, with margins so that the result is as large as the input was.
 */
export function paddedForFlippedFilter(dy: Tensor4D, shape: backend_util.Conv2DInfo): Padded {
  const { inHeight, inWidth, outHeight, outWidth, strideHeight, strideWidth, padInfo } = shape
  return padded(dilated(dy, strideHeight, strideWidth), {
    top: shape.effectiveFilterHeight - 1 - padInfo.top,
    bottom: inHeight + padInfo.top - outHeight * strideHeight,
    left: shape.effectiveFilterWidth - 1 - padInfo.left,
    right: inWidth + padInfo.left - outWidth * strideWidth
  })
}

/** Crops at once, and leaves the zeros to the convolution. */
export function padded(x: Tensor4D, { top, bottom, left, right }: Margins): Padded {
  const [samples, height, width, channels] = x.shape
  const isWithin = bottom >= 0 && right >= 0
  const size: [number, number, number, number] = [
    samples,
    height + Math.min(bottom, 0),
    width + Math.min(right, 0),
    channels
  ]
  return {
    images: isWithin ? x : slice(x, [0, 0, 0, 0], size),
    padding: [
      [0, 0],
      [top, Math.max(bottom, 0)],
      [left, Math.max(right, 0)],
      [0, 0]
    ]
  }
}

/** Inserts zeros after every row and column, so that neighbours are a stride apart. */
function dilated(dy: Tensor4D, strideHeight: number, strideWidth: number): Tensor4D {
  if (strideHeight === 1 && strideWidth === 1) return dy
  const [samples, height, width, channels] = dy.shape
  const columns = pad(reshape(dy, [-1, channels]), [
    [0, 0],
    [0, (strideWidth - 1) * channels]
  ])
  const rowLength = width * strideWidth * channels
  const rows = pad(reshape(columns, [-1, rowLength]), [
    [0, 0],
    [0, (strideHeight - 1) * rowLength]
  ])
  return reshape(rows, [samples, height * strideHeight, width * strideWidth, channels])
}
