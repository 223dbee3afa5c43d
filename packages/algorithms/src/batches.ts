import { invariant, type Random } from '@murmuration/core'

/**
 * Draws batches without replacement: goes through all samples in a shuffled order, then shuffles anew. A batch that
 * reaches the end of one order takes the rest from the next, so that every batch has `size` samples.
 */
export class Batches {
  readonly #random: Random
  readonly #all: readonly number[]
  readonly #batch: Uint32Array
  #order: readonly number[] = []
  #next = 0

  /**
   * @param samples - how many samples there are to draw from, at least 1
   * @param size - samples in a batch, at least 1
   */
  constructor(random: Random, samples: number, size: number) {
    invariant(samples >= 1 && size >= 1, () => `batches of ${size} out of ${samples} samples cannot be drawn`)
    this.#random = random
    this.#all = Array.from({ length: samples }, (_, index) => index)
    this.#batch = new Uint32Array(size)
  }

  /** The next batch: numbers of samples. Valid until the one after. */
  next(): Uint32Array {
    const batch = this.#batch
    for (let place = 0; place < batch.length; place++) {
      if (this.#next === this.#order.length) {
        this.#order = this.#random.shuffle(this.#all)
        this.#next = 0
      }
      batch[place] = this.#order[this.#next++]
    }
    return batch
  }
}
