import { invariant, type Random } from '@murmuration/core'

/**
 * Draws batches without replacement: goes through all samples in a shuffled order, then in another. A batch that reaches the end of
 * one order takes the rest from the next, so that every batch has `size` samples. How many samples were drawn is all that it has to
 * remember: each order depends on the random stream and its number alone.
 */
export class Batches {
  readonly #random: Random
  readonly #all: readonly number[]
  readonly #batch: Uint32Array
  #order: readonly number[] = []
  #epoch = -1
  /** How many samples were drawn. */
  drawn = 0

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
    const samples = this.#all.length
    for (let place = 0; place < batch.length; place++) {
      const next = this.drawn % samples
      if (next === 0 || this.#epoch < 0) this.#shuffle(Math.floor(this.drawn / samples))
      batch[place] = this.#order[next]
      this.drawn++
    }
    return batch
  }

  #shuffle(epoch: number): void {
    this.#epoch = epoch
    this.#order = this.#random.stream(String(epoch)).shuffle(this.#all)
  }
}
