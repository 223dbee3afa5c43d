import { exp, log, type Evaluation, InputError, type Schema } from '@murmuration/core'
import { KernelMemory, sizeOf } from '@murmuration/vectors'
import { checkedPenalty } from './penalty.js'
import type { Samples } from '@murmuration/data'
import type { Model } from './shard-task.js'
import { type ModelKernels, modelKernels, rowStep } from './wasm/kernels.js'

/** Samples that are computed at once. The product of this many numbers up to 2 fits into a float64. */
const chunkLength = 512

/** Samples in a kernel's memory: for each a row of inputs, a 1 and zeros; and its class as −1 or 1. */
interface SampleRows {
  readonly address: number
  readonly signs: Int8Array
}

/**
 * Logistic regression on two classes: the loss of a sample (x, y) is −log σ(z (wᵀx + b)) with σ(t) = 1 / (1 + exp(−t))
 * and z = −1 for class 0, 1 for class 1; (l2 / 2) ‖w‖² is added to the mean over a batch. Parameters lie flat: w, then
 * b.
 *
 * Products run in float32, in an order that is the same on every machine (see {@link ModelKernels}).
 */
export class Logistic implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly inputs: number
  readonly #l2: number
  readonly #kernels: ModelKernels
  /** Numbers of a row: the inputs, 1, and zeros up to a multiple that the kernels need. */
  readonly #width: number
  readonly #train: SampleRows
  readonly #test: SampleRows
  /** The parameters as a row, and the gradient as one. */
  readonly #weights: Float32Array
  readonly #gradientRow: Float32Array
  /** The numbers of a chunk's samples, and their scores, which become the factors of their rows in the gradient. */
  readonly #chunk: Uint32Array
  readonly #factors: Float32Array
  /** The addresses for the kernels, stored: reading them from an array each time costs as much as a short sum. */
  readonly #addresses: Readonly<Record<'weights' | 'gradientRow' | 'chunk' | 'factors', number>>

  /** Throws an {@link InputError} for samples without two classes, or an impossible `l2`. */
  constructor(train: Samples, test: Samples, l2: number) {
    this.inputs = sizeOf(train.inputShape)
    this.length = this.inputs + 1
    this.schema = [
      { name: 'weights', shape: [this.inputs] },
      { name: 'bias', shape: [1] }
    ]
    this.about = `logistic regression, ${this.inputs} inputs, l2 ${l2}`
    this.testSamples = test.count
    this.#l2 = checkedPenalty(l2)
    this.#width = Math.ceil(this.length / rowStep) * rowStep
    const counts = [train.count * this.#width, test.count * this.#width, this.#width, this.#width]
    const memory = KernelMemory.fixed([...counts, chunkLength, chunkLength].map((count) => 4 * count))
    this.#kernels = modelKernels(memory)
    this.#train = this.#rows(train, memory)
    this.#test = this.#rows(test, memory)
    this.#weights = memory.float32(this.#width)
    this.#gradientRow = memory.float32(this.#width)
    this.#chunk = memory.uint32(chunkLength)
    this.#factors = memory.float32(chunkLength)
    this.#addresses = {
      weights: this.#weights.byteOffset,
      gradientRow: this.#gradientRow.byteOffset,
      chunk: this.#chunk.byteOffset,
      factors: this.#factors.byteOffset
    }
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const chunk = this.#chunk
    this.#weights.set(parameters)
    out.fill(0)
    let loss = 0
    for (let start = 0; start < batch.length; start += chunkLength) {
      const count = Math.min(chunkLength, batch.length - start)
      for (let b = 0; b < count; b++) chunk[b] = first + batch[start + b]
      this.#score(this.#train, count)
      loss += this.#scoresToFactors(this.#train, count, 1 / batch.length)
      this.#addGradient(count, out)
    }
    return loss / batch.length + this.#penalise(parameters, out)
  }

  /** Mean loss without the l2 term, and the fraction of samples whose class has a probability above a half. */
  evaluate(parameters: Float32Array): Evaluation & { readonly accuracy: number } {
    const chunk = this.#chunk
    this.#weights.set(parameters)
    let loss = 0
    let right = 0
    for (let start = 0; start < this.testSamples; start += chunkLength) {
      const count = Math.min(chunkLength, this.testSamples - start)
      for (let b = 0; b < count; b++) chunk[b] = start + b
      this.#score(this.#test, count)
      right += this.#countRight(this.#test, count)
      loss += this.#scoresToFactors(this.#test, count, 1)
    }
    return { loss: loss / this.testSamples, accuracy: right / this.testSamples }
  }

  /** Writes the chunk's wᵀx + b to `factors`. */
  #score(rows: SampleRows, count: number): void {
    const { chunk, weights, factors } = this.#addresses
    this.#kernels.scoreRows(chunk, chunk + 4 * count, rows.address, 4 * this.#width, weights, factors)
  }

  #countRight({ signs }: SampleRows, count: number): number {
    let right = 0
    for (let b = 0; b < count; b++) {
      if (this.#factors[b] > 0 === signs[this.#chunk[b]] > 0) right++
    }
    return right
  }

  /**
   * Turns scores t into the factors of their samples in the gradient, −z σ(−z t), times `scale`, and returns the sum of
   * the losses log(1 + exp(−z t)). With m = z t a loss is log(1 + exp(−|m|)), minus m where m < 0; a single logarithm
   * of a product computes all.
   */
  #scoresToFactors({ signs }: SampleRows, count: number, scale: number): number {
    const chunk = this.#chunk
    const factors = this.#factors
    let product = 1
    let loss = 0
    for (let b = 0; b < count; b++) {
      const sign = signs[chunk[b]]
      const margin = sign * factors[b]
      const exponential = exp(-Math.abs(margin))
      product *= 1 + exponential
      if (margin < 0) loss -= margin
      factors[b] = (-sign * scale * (margin < 0 ? 1 : exponential)) / (1 + exponential)
    }
    return loss + log(product)
  }

  #addGradient(count: number, out: Float32Array): void {
    const { chunk, factors, gradientRow: address } = this.#addresses
    const gradientRow = this.#gradientRow
    this.#kernels.combineRows(chunk, chunk + 4 * count, this.#train.address, 4 * this.#width, factors, address)
    for (let i = 0; i < out.length; i++) out[i] += gradientRow[i]
  }

  /** Adds the l2 term's gradient, and returns the l2 term. */
  #penalise(parameters: Float32Array, out: Float32Array): number {
    if (this.#l2 === 0) return 0
    let square = 0
    for (let i = 0; i < this.inputs; i++) {
      square += parameters[i] * parameters[i]
      out[i] += this.#l2 * parameters[i]
    }
    return (this.#l2 / 2) * square
  }

  #rows({ count, inputs, targets, classes }: Samples, memory: KernelMemory): SampleRows {
    if (classes !== 2) {
      throw new InputError(
        `the data has ${classes ?? 'no'} classes, and logistic regression needs 2: use data "gaussians", or the task softmax`
      )
    }
    const rows = memory.float32(count * this.#width)
    for (let sample = 0; sample < count; sample++) {
      const start = sample * this.#width
      for (let i = 0; i < this.inputs; i++) rows[start + i] = inputs[sample * this.inputs + i]
      rows[start + this.inputs] = 1
    }
    return { address: rows.byteOffset, signs: Int8Array.from(targets, (target) => (target === 1 ? 1 : -1)) }
  }
}
