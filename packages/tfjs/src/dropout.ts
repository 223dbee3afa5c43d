import { createRandom } from '@murmuration/random'
import type { LayersModel, layers } from '@tensorflow/tfjs-layers'
import { partsOf } from './weights.js'

/**
 * Lets dropout hang on nothing but the batch, so that the same step gives the same bits on any thread: each dropout layer
 * without a seed of its own takes one drawn from the numbers of the batch's samples. Layers that draw without taking a
 * seed (recurrent dropout, Gaussian and alpha noise) stay as they are and differ from run to run.
 */
export class DropoutSeeds {
  readonly #layers: readonly layers.Layer[]

  constructor(model: LayersModel) {
    this.#layers = model.layers.flatMap(partsOf).filter((layer) => {
      const { rate, seed } = layer.getConfig()
      return typeof rate === 'number' && seed === undefined && 'seed' in layer
    })
  }

  /** Sets the seeds for the gradient of this batch. */
  set(batch: Uint32Array): void {
    if (this.#layers.length === 0) return
    const random = createRandom(0, 'dropout', batch.join(' '))
    for (const layer of this.#layers) Reflect.set(layer, 'seed', 1 + random.integer(2 ** 31 - 1))
  }
}
