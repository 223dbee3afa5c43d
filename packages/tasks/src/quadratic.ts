import type { Evaluation, Schema } from '@murmuration/core'
import { inner, times, type DoubleVector } from './matrices.js'
import type { Objective } from './quadratic-objectives.js'
import type { Model } from './shard-task.js'

/** A peer's objective, and the linear terms of its samples, one after the other; none without noise. */
export interface SampledObjective extends Objective {
  readonly noises: DoubleVector
}

/** Quadratics: `samples` samples for each of several objectives, and one more objective for the evaluation. */
export class Quadratic implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples = 1
  readonly #sampled: readonly SampledObjective[]
  readonly #samples: number
  readonly #mean: Objective
  /** x − centre, and H (x − centre). */
  readonly #offset: DoubleVector
  readonly #halfGradient: DoubleVector
  readonly #sum: DoubleVector

  /** @param mean - of the objectives of all peers, which `sampled` need not contain; its minimum is 0 */
  constructor(sampled: readonly SampledObjective[], samples: number, mean: Objective, about: string) {
    const dimension = mean.centre.length
    this.schema = [{ name: 'x', shape: [dimension] }]
    this.about = about
    this.length = dimension
    this.#sampled = sampled
    this.#samples = samples
    this.#mean = mean
    this.#offset = new Float64Array(dimension)
    this.#halfGradient = new Float64Array(dimension)
    this.#sum = new Float64Array(dimension)
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const halfGradient = this.#halfGradient
    const sum = this.#sum
    let loss = 0
    let value = 0
    let last = -1
    sum.fill(0)
    for (let b = 0; b < batch.length; b++) {
      const index = first + batch[b]
      const owner = Math.floor(index / this.#samples)
      const { noises } = this.#sampled[owner]
      if (owner !== last) value = this.#valueOf(this.#sampled[owner], parameters)
      last = owner
      loss += value
      for (let i = 0; i < sum.length; i++) sum[i] += 2 * halfGradient[i]
      if (noises.length > 0) loss += this.#addNoise(noises, (index % this.#samples) * sum.length)
    }
    for (let i = 0; i < sum.length; i++) out[i] = sum[i] / batch.length
    return loss / batch.length
  }

  evaluate(parameters: Float32Array): Evaluation {
    return { loss: this.#valueOf(this.#mean, parameters) }
  }

  /** Returns the objective's value, and stores the offset and half the gradient there. */
  #valueOf({ hessian, centre }: Objective, parameters: Float32Array): number {
    const offset = this.#offset
    for (let i = 0; i < offset.length; i++) offset[i] = parameters[i] - centre[i]
    return inner(offset, times(hessian, offset, this.#halfGradient))
  }

  /** Adds the linear term that begins at `start` to the gradient, and returns its value. */
  #addNoise(noises: DoubleVector, start: number): number {
    const offset = this.#offset
    const sum = this.#sum
    let value = 0
    for (let i = 0; i < sum.length; i++) {
      value += noises[start + i] * offset[i]
      sum[i] += noises[start + i]
    }
    return value
  }
}
