import { type Evaluation, InputError, type Schema } from '@murmuration/core'
import type { Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import { checkedPenalty } from '../penalty.js'
import type { Model } from '../shard-task.js'
import { ClassProducts } from '../class-products.js'
import type { FourierFeatures } from './fourier-features.js'
import { SvmDual } from './svm-dual.js'

/** What a margin below 1 costs: 1 − margin, which LIBLINEAR calls the L1 loss, or its square, the L2 loss. */
export const marginLosses = ['squared-hinge', 'hinge'] as const
export type MarginLoss = (typeof marginLosses)[number]

/** The objective of an SVM. */
export interface SvmOptions {
  readonly loss: MarginLoss
  /** λ, at least 0. */
  readonly l2: number
  /** The features that are computed of the samples' inputs; the inputs themselves when absent. */
  readonly features?: FourierFeatures | undefined
}

/**
 * A linear support vector machine in the primal: P(w) = (λ / 2) ‖w‖² + (1 / N) Σ loss(1 − y wᵀx), with y = 1 for class
 * 1 and −1 for class 0 (Hsieh et al., ICML 2008, eq. 1, where C = 1 / (λ N)). x ends with a constant 1, so that the
 * bias is one more penalised weight, as with LIBLINEAR's `-B 1`. More than two classes are learned one against the
 * rest: a vector for each, and the mean of their objectives.
 *
 * Parameters lie flat: the weights as `[inputs]`, or `[inputs, classes]` for more than two, then the bias. Sums run in
 * float64.
 */
export class Svm implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly #loss: MarginLoss
  readonly #l2: number
  readonly #trainSamples: number
  /** The number of vectors: 1 for two classes. */
  readonly #outputs: number
  /** The rows of the training samples, then of the test samples; and their classes. */
  readonly #products: ClassProducts
  readonly #targets: Float32Array

  /** Throws an {@link InputError} for samples without two classes or more, or an impossible `l2`. */
  constructor(train: Samples, test: Samples, { loss, l2, features }: SvmOptions) {
    const outputs = outputsFor(train)
    const inputs = features?.count ?? sizeOf(train.inputShape)
    const axes = outputs === 1 ? [] : [outputs]
    this.schema = svmSchema(features === undefined ? '' : `${features.name}/`, inputs, axes)
    this.length = (inputs + 1) * outputs
    this.about = `support vector machine, ${aboutOf(train, features)}, ${loss}, l2 ${l2}`
    this.testSamples = test.count
    this.#loss = loss
    this.#l2 = checkedPenalty(l2)
    this.#trainSamples = train.count
    this.#outputs = outputs
    this.#products = new ClassProducts({ rows: train.count + test.count, length: inputs + 1, outputs })
    this.#targets = new Float32Array(train.count + test.count)
    this.#addRows(train, 0, features)
    this.#addRows(test, train.count, features)
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const products = this.#products
    products.begin(parameters)
    let loss = 0
    for (let b = 0; b < batch.length; b++) {
      const row = first + batch[b]
      this.#score(row)
      const lost = this.#scoresToSlopes(row)
      // Where all margins are at least 1, all slopes are 0.
      if (lost > 0) products.accumulate(row)
      loss += lost
    }
    return loss / (batch.length * this.#outputs) + this.#finish(parameters, batch.length, out)
  }

  dual(first: number, samples: number, meanSamples: number): SvmDual {
    const own = { l2: this.#l2, products: this.#products, targets: this.#targets }
    const isSquared = this.#loss === 'squared-hinge'
    return new SvmDual({ ...own, isSquared, outputs: this.#outputs, first, samples, meanSamples })
  }

  /**
   * Mean loss without the l2 term, and the fraction of samples on the side, or with the largest score, of their class.
   */
  evaluate(parameters: Float32Array): Evaluation & { readonly accuracy: number } {
    this.#products.begin(parameters)
    let loss = 0
    let right = 0
    for (let row = this.#trainSamples; row < this.#targets.length; row++) {
      this.#score(row)
      if (this.#answer() === this.#targets[row]) right++
      loss += this.#scoresToSlopes(row)
    }
    return { loss: loss / (this.testSamples * this.#outputs), accuracy: right / this.testSamples }
  }

  #addRows({ count, inputs, inputShape, targets }: Samples, first: number, features?: FourierFeatures): void {
    const size = sizeOf(inputShape)
    for (let sample = 0; sample < count; sample++) {
      const row = this.#products.row(first + sample)
      const input = inputs.subarray(sample * size, (sample + 1) * size)
      if (features === undefined) row.set(input)
      else features.apply(input, row)
      row[row.length - 1] = 1
    }
    this.#targets.set(targets, first)
  }

  #score(row: number): void {
    this.#products.scores.fill(0)
    this.#products.score(row)
  }

  /** The class for the present scores. */
  #answer(): number {
    const { scores, largest } = this.#products
    if (this.#outputs === 1) return scores[0] > 0 ? 1 : 0
    return largest
  }

  /** Turns the scores of a row into the slopes of its losses, and returns the sum of these. */
  #scoresToSlopes(row: number): number {
    const { scores } = this.#products
    const isSquared = this.#loss === 'squared-hinge'
    const target = this.#targets[row]
    let sum = 0
    for (let k = 0; k < this.#outputs; k++) {
      const sign = target === (this.#outputs === 1 ? 1 : k) ? 1 : -1
      const missing = 1 - sign * scores[k]
      if (missing <= 0) scores[k] = 0
      else {
        sum += isSquared ? missing * missing : missing
        scores[k] = isSquared ? -2 * sign * missing : -sign
      }
    }
    return sum
  }

  /** Turns sums into the mean, adds the l2 term's gradient, and returns the l2 term. */
  #finish(parameters: Float32Array, count: number, out: Float32Array): number {
    const outputs = this.#outputs
    const { sums, width } = this.#products
    let square = 0
    for (let at = 0; at < parameters.length; at++) {
      const weight = parameters[at]
      square += weight * weight
      const sum = sums[Math.floor(at / outputs) * width + (at % outputs)]
      out[at] = (sum / count + this.#l2 * weight) / outputs
    }
    return ((this.#l2 / 2) * square) / outputs
  }
}

/** How many vectors are learned. */
function outputsFor({ classes }: Samples): number {
  if (classes === undefined || classes < 2)
    throw new InputError(
      `the data has ${classes ?? 'no'} ${classes === 1 ? 'class' : 'classes'}, and a support vector machine needs two or more; to learn numbers, use the task mlp`
    )
  return classes === 2 ? 1 : classes
}

/**
 * The tensors of an SVM.
 *
 * @param prefix - of the features: weights for other features are other tensors, so that a model does not continue with
 *   features that it was not trained on
 * @param axes - empty for two classes, else their number
 */
export function svmSchema(prefix: string, inputs: number, axes: readonly number[]): Schema {
  return [
    { name: `${prefix}weights`, shape: [inputs, ...axes] },
    { name: 'bias', shape: axes.length === 0 ? [1] : axes }
  ]
}

function aboutOf({ inputShape, classes = 0 }: Samples, features: FourierFeatures | undefined): string {
  const inputs = `${sizeOf(inputShape)} inputs`
  const rest = classes === 2 ? '' : `, ${classes} classes one against the rest`
  return features === undefined
    ? `${inputs}${rest}`
    : `${features.count} random Fourier features of ${inputs}, gamma ${features.gamma}${rest}`
}
