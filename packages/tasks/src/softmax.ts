import { InputError, invariant } from '@murmuration/core'
import type { Samples } from './samples.js'

/**
 * Multinomial logistic regression: the loss of a sample (x, y) is −log p_y with p = softmax(Wᵀx + b); the mean over a batch
 * gets (l2 / 2) ‖W‖² on top. Parameters lie flat: W as [inputs, classes], then b. Sums run in float64.
 */
export class Softmax {
  readonly inputs: number
  readonly classes: number
  /** How many parameters there are. */
  readonly length: number
  readonly #l2: number
  readonly #probabilities: Float64Array
  readonly #sums: Float64Array

  constructor(samples: Samples, l2: number) {
    if (samples.classes === undefined) throw new InputError('the data has no classes, softmax regression needs some')
    if (!(l2 >= 0 && l2 < Infinity)) throw new InputError(`l2 is ${l2}; a number of at least 0 is expected`)
    this.inputs = samples.inputShape.reduce((product, extent) => product * extent, 1)
    this.classes = samples.classes
    this.length = (this.inputs + 1) * this.classes
    this.#l2 = l2
    this.#probabilities = new Float64Array(this.classes)
    this.#sums = new Float64Array(this.length)
  }

  /** The mean loss over the samples that `batch` numbers; its gradient goes into `out`. */
  gradient(parameters: Float32Array, samples: Samples, batch: Uint32Array, out: Float32Array): number {
    invariant(batch.length > 0, 'the gradient of an empty batch was asked for')
    invariant(parameters.length === this.length, () => `${parameters.length} parameters, not ${this.length}`)
    this.#sums.fill(0)
    let loss = 0
    for (const index of batch) {
      invariant(index < samples.count, () => `sample ${index} of ${samples.count} was asked for`)
      loss += this.#predict(parameters, samples, index)
      this.#probabilities[samples.targets[index]] -= 1
      this.#accumulate(samples, index)
    }
    return loss / batch.length + this.#finish(parameters, batch.length, out)
  }

  /** Mean loss without the l2 term, and the share of samples whose class is the likeliest. */
  evaluate(parameters: Float32Array, samples: Samples): { readonly loss: number; readonly accuracy: number } {
    invariant(parameters.length === this.length, () => `${parameters.length} parameters, not ${this.length}`)
    let loss = 0
    let right = 0
    for (let index = 0; index < samples.count; index++) {
      loss += this.#predict(parameters, samples, index)
      if (indexOfLargest(this.#probabilities) === samples.targets[index]) right++
    }
    return { loss: loss / samples.count, accuracy: right / samples.count }
  }

  /** Fills the probabilities of the classes and returns −log p of the right one, by the log of a sum of exponentials. */
  #predict(parameters: Float32Array, samples: Samples, index: number): number {
    const p = this.#probabilities
    this.#score(parameters, samples, index)
    const target = p[samples.targets[index]]
    const largest = p.reduce((most, score) => Math.max(most, score))
    let sum = 0
    for (let k = 0; k < p.length; k++) {
      p[k] = Math.exp(p[k] - largest)
      sum += p[k]
    }
    for (let k = 0; k < p.length; k++) p[k] /= sum
    return Math.log(sum) + largest - target
  }

  /** Wᵀx + b. Zeros, which are most pixels of a digit, are passed over. */
  #score(parameters: Float32Array, { inputs: values }: Samples, index: number): void {
    const { inputs, classes } = this
    const scores = this.#probabilities
    for (let k = 0; k < classes; k++) scores[k] = parameters[inputs * classes + k]
    for (let i = 0; i < inputs; i++) {
      const value = values[index * inputs + i]
      if (value === 0) continue
      for (let k = 0; k < classes; k++) scores[k] += value * parameters[i * classes + k]
    }
  }

  /** Adds the sample's x (p − y)ᵀ to the sums; the probabilities hold p − y. */
  #accumulate({ inputs: values }: Samples, index: number): void {
    const { inputs, classes } = this
    const errors = this.#probabilities
    for (let i = 0; i < inputs; i++) {
      const value = values[index * inputs + i]
      if (value === 0) continue
      for (let k = 0; k < classes; k++) this.#sums[i * classes + k] += value * errors[k]
    }
    for (let k = 0; k < classes; k++) this.#sums[inputs * classes + k] += errors[k]
  }

  /** Turns sums into the mean, adds the l2 term's gradient, and returns the l2 term. */
  #finish(parameters: Float32Array, count: number, out: Float32Array): number {
    const weights = this.inputs * this.classes
    let square = 0
    for (let i = 0; i < this.length; i++) {
      const weight = i < weights ? parameters[i] : 0
      square += weight * weight
      out[i] = this.#sums[i] / count + this.#l2 * weight
    }
    return (this.#l2 / 2) * square
  }
}

function indexOfLargest(values: Float64Array): number {
  let best = 0
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k
  return best
}
