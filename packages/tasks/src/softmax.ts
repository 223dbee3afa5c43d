import { type Evaluation, InputError, type Schema } from '@murmuration/core'
import { KernelMemory, sizeOf } from '@murmuration/vectors'
import { checkedPenalty } from './penalty.js'
import type { Samples } from '@murmuration/data'
import type { Model } from './shard-task.js'
import { type ModelKernels, modelKernels } from './wasm/kernels.js'

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
  readonly #trainTargets: Float32Array
  readonly #testTargets: Float32Array
  /** The classes, padded to an even number. */
  readonly #width: number
  readonly #kernels: ModelKernels
  readonly #train: Float32Array
  readonly #test: Float32Array
  /** W in float64 as [inputs, width]. */
  readonly #weights: Float64Array
  /** The sample's scores, then its probabilities, then p − y. */
  readonly #probabilities: Float64Array
  /** The sums of the samples' gradients: those of W as [inputs, width], and those of b. */
  readonly #sums: Float64Array
  readonly #biasSums: Float64Array
  /** The addresses for the kernels, stored: reading them from an array each time costs as much as a short sum. */
  readonly #addresses: Readonly<Record<'train' | 'test' | 'weights' | 'probabilities' | 'sums', number>>

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
    this.#width = this.classes + (this.classes % 2)
    const padded = this.inputs * this.#width
    const floats = [train.inputs.length, test.inputs.length].map((length) => 4 * length)
    const memory = KernelMemory.fixed([...floats, 8 * padded, 8 * this.#width, 8 * padded])
    this.#kernels = modelKernels(memory)
    this.#train = memory.float32(train.inputs.length)
    this.#test = memory.float32(test.inputs.length)
    this.#weights = memory.float64(padded)
    this.#probabilities = memory.float64(this.#width)
    this.#sums = memory.float64(padded)
    this.#biasSums = new Float64Array(this.classes)
    this.#addresses = {
      train: this.#train.byteOffset,
      test: this.#test.byteOffset,
      weights: this.#weights.byteOffset,
      probabilities: this.#probabilities.byteOffset,
      sums: this.#sums.byteOffset
    }
    this.#train.set(train.inputs)
    this.#test.set(test.inputs)
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const targets = this.#trainTargets
    const errors = this.#probabilities
    this.#widen(parameters)
    this.#sums.fill(0)
    this.#biasSums.fill(0)
    let loss = 0
    for (let b = 0; b < batch.length; b++) {
      const sample = first + batch[b]
      loss += this.#predict(parameters, this.#addresses.train, sample, targets[sample])
      errors[targets[sample]] -= 1
      this.#accumulate(sample)
    }
    return loss / batch.length + this.#finish(parameters, batch.length, out)
  }

  /** Mean loss without the l2 term, and the fraction of samples whose class is the most probable. */
  evaluate(parameters: Float32Array): Evaluation & { readonly accuracy: number } {
    const targets = this.#testTargets
    this.#widen(parameters)
    let loss = 0
    let right = 0
    for (let sample = 0; sample < this.testSamples; sample++) {
      loss += this.#predict(parameters, this.#addresses.test, sample, targets[sample])
      if (indexOfLargest(this.#probabilities, this.classes) === targets[sample]) right++
    }
    return { loss: loss / this.testSamples, accuracy: right / this.testSamples }
  }

  #widen(parameters: Float32Array): void {
    const weights = this.#weights
    const inputs = this.inputs
    const classes = this.classes
    const width = this.#width
    for (let i = 0; i < inputs; i++) {
      for (let k = 0; k < classes; k++) weights[i * width + k] = parameters[i * classes + k]
    }
  }

  /**
   * Fills the probabilities of the classes and returns −log p of the right one, by the log of a sum of exponentials.
   */
  #predict(parameters: Float32Array, rows: number, sample: number, target: number): number {
    const p = this.#probabilities
    const inputs = this.inputs
    const classes = this.classes
    const { weights, probabilities } = this.#addresses
    const at = rows + 4 * sample * inputs
    for (let k = 0; k < classes; k++) p[k] = parameters[inputs * classes + k]
    this.#kernels.scoreClasses(at, at + 4 * inputs, weights, 8 * this.#width, probabilities)
    const targetScore = p[target]
    const largest = p[indexOfLargest(p, classes)]
    let sum = 0
    for (let k = 0; k < classes; k++) {
      p[k] = Math.exp(p[k] - largest)
      sum += p[k]
    }
    for (let k = 0; k < classes; k++) p[k] /= sum
    return Math.log(sum) + largest - targetScore
  }

  /** Adds the sample's x (p − y)ᵀ and p − y to the sums; the probabilities hold p − y. */
  #accumulate(sample: number): void {
    const errors = this.#probabilities
    const { train, sums, probabilities } = this.#addresses
    const at = train + 4 * sample * this.inputs
    this.#kernels.accumulateClasses(at, at + 4 * this.inputs, sums, 8 * this.#width, probabilities)
    for (let k = 0; k < this.classes; k++) this.#biasSums[k] += errors[k]
  }

  /** Turns sums into the mean, adds the l2 term's gradient, and returns the l2 term. */
  #finish(parameters: Float32Array, count: number, out: Float32Array): number {
    const sums = this.#sums
    const inputs = this.inputs
    const classes = this.classes
    const width = this.#width
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

function indexOfLargest(values: Float64Array, count: number): number {
  let best = 0
  for (let k = 1; k < count; k++) if (values[k] > values[best]) best = k
  return best
}
