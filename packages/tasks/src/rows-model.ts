import { type Evaluation, InputError, type Schema, type TaskRows, type Work } from '@murmuration/core'
import type { Model } from './shard-task.js'

/** Collects keys, each once. */
export class KeySet {
  /** For each key the number of the last collection that contained it. */
  readonly #seen: Uint32Array
  #collection = 0
  #keys = new Uint32Array(64)
  #size = 0

  /** @param count - keys are 0 … count − 1 */
  constructor(count: number) {
    this.#seen = new Uint32Array(count)
  }

  /** Starts a new, empty collection. */
  clear(): void {
    this.#size = 0
    this.#collection++
    if (this.#collection < 2 ** 32) return
    this.#seen.fill(0)
    this.#collection = 1
  }

  add(key: number): void {
    if (this.#seen[key] === this.#collection) return
    this.#seen[key] = this.#collection
    if (this.#size === this.#keys.length) {
      const keys = new Uint32Array(2 * this.#size)
      keys.set(this.#keys)
      this.#keys = keys
    }
    this.#keys[this.#size++] = key
  }

  /** The keys, ascending, in a new array. */
  sorted(): Uint32Array {
    return this.#keys.slice(0, this.#size).sort()
  }
}

/** The mathematics of a model whose batches touch a few rows. Samples are numbered over those of all peers. */
export interface RowsLoss {
  readonly schema: Schema
  readonly about: string
  /** The number of rows, and the width of each. */
  readonly count: number
  readonly width: number
  readonly testSamples: number
  initialise(seed: number): Float32Array
  /** Adds the keys that the loss of a sample depends on in a round. */
  addKeys(sample: number, round: number, keys: KeySet): void
  /**
   * The loss of a sample; adds `weight` times its gradient to `out`.
   *
   * @param rows - the rows of those keys, and others
   * @param offsets - where the row of each key begins in `rows`, and in `out`
   */
  addGradient(
    rows: Float32Array,
    offsets: Uint32Array,
    sample: number,
    round: number,
    weight: number,
    out: Float32Array
  ): number
  evaluate(parameters: Float32Array): Evaluation
  /** The block of a sample, for algorithms whose workers take turns at blocks; absent where samples have none. */
  blockOf?(sample: number, blocks: number): number
}

/**
 * A model of a {@link RowsLoss}. The gradient by all parameters is that by the rows that a batch touches, written to
 * their positions.
 */
export class RowsModel implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly #loss: RowsLoss
  readonly #keys: KeySet
  readonly #offsets: Uint32Array
  readonly #identity: Uint32Array

  /** Throws an {@link InputError} for more numbers than a vector may have. */
  constructor(loss: RowsLoss) {
    const { schema, about, count, width, testSamples } = loss
    if (count * width >= 2 ** 32)
      throw new InputError(
        `found ${count} rows of ${width} numbers, expected fewer than 2^32 numbers in all; lower the rank`
      )
    this.schema = schema
    this.about = about
    this.length = count * width
    this.testSamples = testSamples
    this.#loss = loss
    this.#keys = new KeySet(count)
    this.#offsets = new Uint32Array(count)
    this.#identity = Uint32Array.from({ length: count }, (_, key) => key * width)
  }

  initialise(seed: number): Float32Array {
    return this.#loss.initialise(seed)
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array, round: number): number {
    return this.#meanLoss(parameters, this.#identity, first, batch, out, round)
  }

  evaluate(parameters: Float32Array): Evaluation {
    return this.#loss.evaluate(parameters)
  }

  rows(first: number): TaskRows {
    const { count, width } = this.#loss
    const blockOf = this.#loss.blockOf?.bind(this.#loss)
    const inBlocks: Pick<TaskRows, 'blockOf'> =
      blockOf === undefined ? {} : { blockOf: (sample, blocks) => blockOf(first + sample, blocks) }
    return {
      count,
      width,
      ...inBlocks,
      keysOf: (batch, round = 0) => this.#keysOf(first, batch, round),
      gradient: (rows, keys, batch, out, round = 0): Work<number> => ({
        kind: 'gradient',
        samples: batch.length,
        run: () => {
          for (let index = 0; index < keys.length; index++) this.#offsets[keys[index]] = index * width
          return this.#meanLoss(rows, this.#offsets, first, batch, out, round)
        }
      })
    }
  }

  #keysOf(first: number, batch: Uint32Array, round: number): Uint32Array {
    this.#keys.clear()
    for (const sample of batch) this.#loss.addKeys(first + sample, round, this.#keys)
    return this.#keys.sorted()
  }

  #meanLoss(
    rows: Float32Array,
    offsets: Uint32Array,
    first: number,
    batch: Uint32Array,
    out: Float32Array,
    round: number
  ): number {
    out.fill(0)
    let loss = 0
    for (const sample of batch)
      loss += this.#loss.addGradient(rows, offsets, first + sample, round, 1 / batch.length, out)
    return loss / batch.length
  }
}
