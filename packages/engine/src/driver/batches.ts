import { invariant, type PeerName, type Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'

/**
 * Draws batches without replacement: goes through all samples in a shuffled order, then shuffles again. A batch that
 * reaches the end of one order takes the rest from the next, so every batch has `size` samples.
 */
export class Batches {
  readonly #random: Random
  readonly #samples: number
  readonly #batch: Uint32Array
  #order: number[] | undefined
  #drawn = 0
  /** How many shuffles the next batch has to repeat first. */
  #skipped = 0

  /**
   * @param samples - how many samples there are to draw from, at least 1
   * @param size - samples in a batch, at least 1
   */
  constructor(random: Random, samples: number, size: number) {
    invariant(samples >= 1 && size >= 1, () => `batches of ${size} out of ${samples} samples cannot be drawn`)
    this.#random = random
    this.#samples = samples
    this.#batch = new Uint32Array(size)
  }

  /** Samples in a batch. */
  get size(): number {
    return this.#batch.length
  }

  /** How many samples were drawn: all that is needed to continue elsewhere. */
  get drawn(): number {
    return this.#drawn
  }

  /** Continues after this many samples. Call it before the first batch, which repeats all shuffles up to there. */
  skipTo(drawn: number): void {
    this.#skipped = Math.ceil(drawn / this.#samples)
    this.#drawn = drawn
  }

  /** Counts samples that were gone through, but not drawn: instead of batches. */
  count(samples: number): void {
    this.#drawn += samples
  }

  /** The next batch: indices of samples. Valid until the next call. */
  next(): Uint32Array {
    const batch = this.#batch
    const samples = this.#samples
    let next = this.#drawn % samples
    for (; this.#skipped > 0; this.#skipped--) this.#shuffle()
    let order = this.#order
    for (let index = 0; index < batch.length; index++) {
      if (next === 0 || order === undefined) order = this.#shuffle()
      batch[index] = order[next]
      next = next + 1 === samples ? 0 : next + 1
    }
    this.#drawn += batch.length
    return batch
  }

  /** The next order, as {@link Random.shuffle} gives it, in the memory of the last. */
  #shuffle(): number[] {
    const order = (this.#order ??= new Array<number>(this.#samples))
    for (let index = 0; index < order.length; index++) order[index] = index
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.#random.integer(last + 1)
      const index = order[last]
      order[last] = order[other]
      order[other] = index
    }
    return order
  }
}

/** The samples of one peer, in a task that holds several peers' samples one after the other. */
export interface Shard {
  readonly name: PeerName
  readonly samples: number
}

/** What a joint batch is drawn from: the run's seed, and the samples of each shard. */
interface JointOptions {
  readonly seed: number
  readonly batchSize: number
  readonly shards: readonly Shard[]
}

/** The peers' batches of one round, one after the other, with indices as in the task of the union. */
export function jointBatches({ seed, shards, batchSize }: JointOptions): () => Uint32Array {
  let offset = 0
  const parts = shards.map(({ name, samples }) => {
    const part = { batches: new Batches(createRandom(seed, name).stream('batches'), samples, batchSize), offset }
    offset += samples
    return part
  })
  return () =>
    Uint32Array.from(parts.flatMap((part) => Array.from(part.batches.next(), (index) => index + part.offset)))
}
