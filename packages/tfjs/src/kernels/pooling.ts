import type { KernelConfig, MaxPoolGradAttrs, Tensor, Tensor4D } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { composed, valuesOf } from './composed.js'
import type { WindowShape } from './patches.js'

const { AvgPoolGrad, backend_util, MaxPoolGrad, tensor4d } = core

/** AvgPoolGradAttrs lacks the rounding mode, which both gradients are given. */
type PoolAttributes = MaxPoolGradAttrs

/**
 * The gradients of pooling as loops over the values. The backend has some, but they take twice as long, and for
 * averages they count the padding, which the forward pass does not.
 */
export const poolingKernels: readonly KernelConfig[] = [
  composed<'dy' | 'input', PoolAttributes>(MaxPoolGrad, ({ dy, input }, attributes) =>
    poolGradient(dy, input, attributes, routeToMaximum(valuesOf(input)))
  ),
  composed<'dy' | 'input', PoolAttributes>(AvgPoolGrad, ({ dy, input }, attributes) =>
    poolGradient(dy, input, attributes, spreadEvenly)
  )
]

/**
 * The part of the input from which one place of the output was pooled: where its first channel begins, and its extents.
 */
interface Window {
  readonly start: number
  readonly rows: number
  readonly columns: number
  readonly rowStep: number
  /** The distance between columns: the number of channels. */
  readonly columnStep: number
}

/** Adds the gradients of one place of the output, which begin at `from`, to those of the inputs in its window. */
type GradientRoute = (gradient: Float32Array, window: Window, incoming: Float32Array, from: number) => void

/** To the first of the largest values, as in the forward pass. */
function routeToMaximum(input: Float32Array): GradientRoute {
  return (gradient, { start, rows, columns, rowStep, columnStep }, incoming, from) => {
    for (let channel = 0; channel < columnStep; channel++) {
      let winner = start + channel
      for (let row = 0; row < rows; row++) {
        const end = start + channel + row * rowStep + columns * columnStep
        for (let index = start + channel + row * rowStep; index < end; index += columnStep) {
          if (input[index] > input[winner]) winner = index
        }
      }
      gradient[winner] += incoming[from + channel]
    }
  }
}

/** An equal part to each; padding is not counted. */
function spreadEvenly(gradient: Float32Array, window: Window, incoming: Float32Array, from: number): void {
  const { start, rows, columns, rowStep, columnStep } = window
  const part = 1 / (rows * columns)
  for (let row = 0; row < rows; row++) {
    const first = start + row * rowStep
    for (let i = 0; i < columns * columnStep; i++) gradient[first + i] += part * incoming[from + (i % columnStep)]
  }
}

function poolGradient(dy: Tensor, input: Tensor, attributes: PoolAttributes, route: GradientRoute): Tensor {
  const { filterSize, strides, pad, dimRoundingMode } = attributes
  const inputShape = (input as Tensor4D).shape
  const shape = backend_util.computePool2DInfo(inputShape, filterSize, strides, 1, pad, dimRoundingMode)
  const gradient = new Float32Array(input.size)
  const incoming = valuesOf(dy)
  const outputs = shape.batchSize * shape.outHeight * shape.outWidth
  for (let output = 0; output < outputs; output++) {
    route(gradient, windowOf(shape, output), incoming, output * shape.inChannels)
  }
  return tensor4d(gradient, inputShape)
}

/** The window of one place of the output, without padding; places are numbered along samples, rows and columns. */
function windowOf(shape: WindowShape, output: number): Window {
  const x = output % shape.outWidth
  const y = Math.floor(output / shape.outWidth) % shape.outHeight
  const sample = Math.floor(output / (shape.outWidth * shape.outHeight))
  const top = y * shape.strideHeight - shape.padInfo.top
  const left = x * shape.strideWidth - shape.padInfo.left
  const firstRow = Math.max(top, 0)
  const firstColumn = Math.max(left, 0)
  return {
    start: ((sample * shape.inHeight + firstRow) * shape.inWidth + firstColumn) * shape.inChannels,
    rows: Math.min(top + shape.filterHeight, shape.inHeight) - firstRow,
    columns: Math.min(left + shape.filterWidth, shape.inWidth) - firstColumn,
    rowStep: shape.inWidth * shape.inChannels,
    columnStep: shape.inChannels
  }
}
