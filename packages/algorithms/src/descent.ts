import { DivergedError } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'

/** How a gradient becomes a direction. */
export interface DescentOptions {
  /** `μ`, 0 … 1; 0 for plain gradients. */
  readonly momentum: number
  /** Nesterov's look-ahead. */
  readonly nesterov: boolean
  /** `λ`: adds `λ x` to the gradient. */
  readonly weightDecay: number
}

/** A gradient, and the loss where it is known; a parameter server does not know it. */
export interface Slope {
  readonly loss?: number
  readonly vector: Float32Array
}

/**
 * The direction of descent: `v ← μ v + (g + λ x)`, and then `v`, or with Nesterov `(g + λ x) + μ v`, as Sutskever et al.
 * 2013 in the form that most frameworks use. The velocity `v` is the peer's own; it is not averaged (Lian et al. 2017).
 */
export class Descent {
  readonly #options: DescentOptions
  readonly #velocity: Float32Array

  constructor(length: number, options: DescentOptions) {
    this.#options = options
    this.#velocity = new Float32Array(length)
  }

  /**
   * `base − rate · direction`, as a new vector.
   *
   * @param base - where the step is taken from: the average, or one's own parameters
   * @param x - where the gradient was taken
   * @throws DivergedError when the loss or the new parameters are not finite
   */
  step(base: Float32Array, x: Float32Array, gradient: Slope, rate: number, round: number): Float32Array {
    const { momentum, nesterov, weightDecay } = this.#options
    const [v, g] = [this.#velocity, gradient.vector]
    const length = base.length
    const next = new Float32Array(length)
    for (let i = 0; i < length; i++) {
      const slope = g[i] + weightDecay * x[i]
      const velocity = Math.fround(momentum * v[i] + slope)
      v[i] = velocity
      next[i] = base[i] - rate * (nesterov ? slope + momentum * velocity : velocity)
    }
    if (!Number.isFinite(gradient.loss ?? 0) || !allFinite(next)) throw diverged(round, rate, gradient.loss)
    return next
  }
}

/** The error that says that training has diverged, and what to do. */
export function diverged(round: number, rate: number, loss?: number): DivergedError {
  const found = loss === undefined ? 'the parameters are not finite' : `the loss is ${loss}`
  return new DivergedError(
    `training diverged in round ${round}: ${found} at a learning rate of ${rate}; lower the rate`
  )
}
