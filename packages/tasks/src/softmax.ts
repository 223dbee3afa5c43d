import { exp, log, type Evaluation, InputError, type Schema } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import { ClassProducts } from './class-products.js'
import { checkedPenalty } from './penalty.js'
import type { Samples } from '@murmuration/data'
import type { Model } from './shard-task.js'

/**
 * Multinomial logistic regression: the loss of a sample (x, y) is −log p_y with p = softmax(Wᵀx + b); (l2 / 2) ‖W‖² is
 * added to the mean over a batch. Parameters lie flat: W as [inputs, classes], then b. Sums run in float64.
 */
export class Softmax implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly inputs: number
  readonly classes: number
  readonly #l2: number
  readonly #trainSamples: number
  readonly #trainTargets: Float32Array
  readonly #testTargets: Float32Array
  /** The rows of the training samples, then of the test samples. Its scores become probabilities, then p − y. */
  readonly #products: ClassProducts
  readonly #biasSums: Float64Array

  /** Throws an {@link InputError} for samples without classes, or an impossible `l2`. */
  constructor(train: Samples, test: Samples, l2: number) {
    if (train.classes === undefined)
      throw new InputError('the data has no classes, and softmax regression needs classes')
    this.inputs = sizeOf(train.inputShape)
    this.classes = train.classes
    this.length = (this.inputs + 1) * this.classes
    this.schema = [
      { name: 'weights', shape: [this.inputs, this.classes] },
      { name: 'bias', shape: [this.classes] }
    ]
    this.about = `softmax regression, ${this.inputs} inputs, ${this.classes} classes, l2 ${l2}`
    this.testSamples = test.count
    this.#l2 = checkedPenalty(l2)
    this.#trainTargets = train.targets
    this.#testTargets = test.targets
    this.#trainSamples = train.count
    const inputs = this.inputs
    this.#products = new ClassProducts({ rows: train.count + test.count, length: inputs, outputs: this.classes })
    this.#biasSums = new Float64Array(this.classes)
    for (const [{ count, inputs: all }, first] of [
      [train, 0],
      [test, train.count]
    ] as const)
      for (let row = 0; row < count; row++)
        this.#products.row(first + row).set(all.subarray(row * inputs, (row + 1) * inputs))
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const targets = this.#trainTargets
    const errors = this.#products.scores
    this.#products.begin(parameters)
    this.#biasSums.fill(0)
    let loss = 0
    for (let b = 0; b < batch.length; b++) {
      const sample = first + batch[b]
      loss += this.#predict(parameters, sample, targets[sample])
      errors[targets[sample]] -= 1
      this.#accumulate(sample)
    }
    return loss / batch.length + this.#finish(parameters, batch.length, out)
  }

  /** Mean loss without the l2 term, and the fraction of samples whose class is the most probable. */
  evaluate(parameters: Float32Array): Evaluation & { readonly accuracy: number } {
    const targets = this.#testTargets
    this.#products.begin(parameters)
    let loss = 0
    let right = 0
    for (let sample = 0; sample < this.testSamples; sample++) {
      loss += this.#predict(parameters, this.#trainSamples + sample, targets[sample])
      if (this.#products.largest === targets[sample]) right++
    }
    return { loss: loss / this.testSamples, accuracy: right / this.testSamples }
  }

  /**
   * Fills the probabilities of the classes and returns −log p of the right one, by the log of a sum of exponentials.
   */
  #predict(parameters: Float32Array, row: number, target: number): number {
    const p = this.#products.scores
    const inputs = this.inputs
    const classes = this.classes
    for (let k = 0; k < classes; k++) p[k] = parameters[inputs * classes + k]
    this.#products.score(row)
    const targetScore = p[target]
    const largest = p[this.#products.largest]
    let sum = 0
    for (let k = 0; k < classes; k++) {
      p[k] = exp(p[k] - largest)
      sum += p[k]
    }
    for (let k = 0; k < classes; k++) p[k] /= sum
    return log(sum) + largest - targetScore
  }

  /** Adds the sample's x (p − y)ᵀ and p − y to the sums; the probabilities hold p − y. */
  #accumulate(sample: number): void {
    const errors = this.#products.scores
    this.#products.accumulate(sample)
    for (let k = 0; k < this.classes; k++) this.#biasSums[k] += errors[k]
  }

  /** Turns sums into the mean, adds the l2 term's gradient, and returns the l2 term. */
  #finish(parameters: Float32Array, count: number, out: Float32Array): number {
    const { sums, width } = this.#products
    const inputs = this.inputs
    const classes = this.classes
    const l2 = this.#l2
    let square = 0
    for (let i = 0; i < inputs; i++) {
      for (let k = 0; k < classes; k++) {
        const weight = parameters[i * classes + k]
        square += weight * weight
        out[i * classes + k] = sums[i * width + k] / count + l2 * weight
      }
    }
    for (let k = 0; k < classes; k++) out[inputs * classes + k] = this.#biasSums[k] / count
    return (l2 / 2) * square
  }
}
