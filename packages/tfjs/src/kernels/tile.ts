import type { GradConfig, NamedAttrMap, Tensor, TileAttrs } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
// The gradient to replace is registered by tfjs-layers, which therefore has to be loaded first.
import '../tensorflow.js'

const { registerGradient, reshape, sum, Tile } = core

/**
 * Replaces the gradient of tile, for all backends: the usual one adds a slice per repetition, which takes seconds where
 * a layer normalisation repeats its scale over a batch of images.
 */
export function registerTileGradient(): void {
  registerGradient(tileGradient)
}

const tileGradient: GradConfig = {
  kernelName: Tile,
  inputsToSave: ['x'],
  gradFunc: (dy: Tensor | Tensor[], [x]: Tensor[], attributes: NamedAttrMap) => {
    const { reps } = attributes as NamedAttrMap & TileAttrs
    return { x: () => sumOverRepetitions(dy as Tensor, x.shape, reps) }
  }
}

/** Axis by axis: gives the repetitions an axis of their own, and sums over it. */
function sumOverRepetitions(dy: Tensor, shape: readonly number[], repetitions: readonly number[]): Tensor {
  let gradient = dy
  for (const [axis, times] of repetitions.entries()) {
    if (times === 1) continue
    const before = shape.slice(0, axis).reduce((product, extent) => product * extent, 1)
    gradient = sum(reshape(gradient, [before, times, -1]), 1)
  }
  return reshape(gradient, [...shape])
}
