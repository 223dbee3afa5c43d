import type { Random } from '@murmuration/core'
import type { LayersModel } from '@tensorflow/tfjs-layers'

/** The number of the layer that computes now, if one does. */
let current: number | undefined

/**
 * Runs `compute`, which must be synchronous, with `Math.random` drawing from `random`, and then restores it. Each layer
 * of a model that {@link drawByLayer} has prepared draws from a stream of its own, so that it draws the same where
 * other peers compute the layers before it.
 *
 * Everything that TensorFlow.js draws without a seed begins with a number of `Math.random`: dropout, also of recurrent
 * cells, noise, alpha dropout, and whatever a user's own layers and losses draw. Most layers take no seed that could be
 * set instead.
 */
export function drawingFrom<Result>(random: Random, compute: () => Result): Result {
  const { random: original } = Math
  const streams = new Map<number | undefined, Random>()
  Math.random = () => {
    const stream = streams.get(current) ?? (current === undefined ? random : random.stream(`layer ${current}`))
    streams.set(current, stream)
    return stream.uniform()
  }
  try {
    return compute()
  } finally {
    Math.random = original
  }
}

/** Prepares the layers of a model for {@link drawingFrom}. */
export function drawByLayer({ layers }: LayersModel): void {
  for (const [place, layer] of layers.entries()) {
    const call = layer.call.bind(layer)
    layer.call = (inputs, options) => {
      const outer = current
      current = place
      try {
        return call(inputs, options)
      } finally {
        current = outer
      }
    }
  }
}
