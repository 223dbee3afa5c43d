import { DivergedError } from '@murmuration/core'
import { momentumStep } from '@murmuration/vectors'

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

  /** @param velocity - zeros, as many as there are parameters; steps are fastest where they lie in the memory of the vectors */
  constructor(length: number, options: DescentOptions, velocity: Float32Array = new Float32Array(length)) {
    this.#options = options
    this.#velocity = velocity
  }

  /**
   * `base − rate · direction`, in `out`.
   *
   * @param base - where the step is taken from: the average, or one's own parameters
   * @param x - where the gradient was taken
   * @param out - a new vector, if not given; may be any of the others
   * @param from - the first number of the step, and `to` the one after its last: all of them, if not given
   * @throws DivergedError when the loss or the new parameters are not finite
   */
  step(
    base: Float32Array,
    x: Float32Array,
    gradient: Slope,
    rate: number,
    round: number,
    out: Float32Array = new Float32Array(base.length),
    from = 0,
    to = base.length
  ): Float32Array {
    const { momentum, nesterov, weightDecay } = this.#options
    const velocity = this.#velocity
    const step = { base, x, gradient: gradient.vector, velocity, rate, momentum, nesterov, weightDecay }
    const finite = momentumStep(out, step, from, to)
    if (!Number.isFinite(gradient.loss ?? 0) || !finite) throw diverged(round, rate, gradient.loss)
    return out
  }
}

/** The error that says that training has diverged, and what to do. */
export function diverged(round: number, rate: number, loss?: number): DivergedError {
  const found = loss === undefined ? 'the parameters are not finite' : `the loss is ${loss}`
  return new DivergedError(
    `training diverged in round ${round}: ${found} at a learning rate of ${rate}; lower the rate`
  )
}
