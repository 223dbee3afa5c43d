import { DivergedError } from '@murmuration/core'
import { type MomentumStep, momentumStep } from '@murmuration/vectors'
import { moveStatistics, type Untrained } from './untrained.js'

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
 *
 * Weight decay acts on all that is trained, biases and the scales of normalisations included. What is frozen stays as it is;
 * statistics follow the batches by their own momentum alone, without velocity, decay or rate.
 */
export class Descent {
  readonly #options: DescentOptions
  readonly #untrained: readonly Untrained[]
  readonly #velocity: Float32Array

  /**
   * @param untrained - the ranges that are frozen or hold statistics, see `untrainedOf`; none, when everything is trained
   * @param velocity - zeros, as many as there are parameters; steps are fastest where they lie in the memory of the vectors
   */
  constructor(
    length: number,
    options: DescentOptions,
    untrained: readonly Untrained[] = [],
    velocity: Float32Array = new Float32Array(length)
  ) {
    this.#options = options
    this.#untrained = untrained
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
    const step = this.#momentumStep(base, x, gradient, rate)
    const finite =
      this.#untrained.length === 0
        ? momentumStep(out, step, from, to)
        : this.#stepInParts(out, step, { at: base, from, to })
    if (!Number.isFinite(gradient.loss ?? 0) || !finite) throw diverged(round, rate, gradient.loss)
    return out
  }

  /**
   * What a step at `x` adds to it, `− rate · direction`, as a new vector.
   *
   * @throws DivergedError as {@link step} does
   */
  increment(x: Float32Array, gradient: Slope, rate: number, round: number): Float32Array {
    const out = new Float32Array(x.length)
    const finite = this.#stepInParts(out, this.#momentumStep(out, x, gradient, rate), { at: x, from: 0, to: x.length })
    if (!Number.isFinite(gradient.loss ?? 0) || !finite) throw diverged(round, rate, gradient.loss)
    return out
  }

  #momentumStep(base: Float32Array, x: Float32Array, gradient: Slope, rate: number): MomentumStep {
    const { momentum, nesterov, weightDecay } = this.#options
    const velocity = this.#velocity
    return { base, x, gradient: gradient.vector, velocity, rate, momentum, nesterov, weightDecay }
  }

  /**
   * The ranges that are not trained, and what is between them, in order.
   *
   * @param at - where the statistics are
   */
  #stepInParts(
    out: Float32Array,
    step: MomentumStep,
    { at, from, to }: { readonly at: Float32Array; readonly from: number; readonly to: number }
  ): boolean {
    const { base, gradient: values } = step
    let [next, finite] = [from, true]
    for (const { offset, length, momentum } of this.#untrained) {
      const start = Math.max(offset, from)
      const end = Math.min(offset + length, to)
      if (start >= end) continue
      finite = momentumStep(out, step, next, start) && finite
      finite = moveStatistics(out, { base, at, values, momentum }, start, end) && finite
      next = end
    }
    return momentumStep(out, step, next, to) && finite
  }
}

/** The error that says that training has diverged, and what to do. */
export function diverged(round: number, rate: number, loss?: number): DivergedError {
  const found = Number.isFinite(loss ?? 0) ? 'the parameters are not finite' : `the loss is ${loss}`
  return new DivergedError(
    `training diverged in round ${round}: ${found} at a learning rate of ${rate}; lower the rate`
  )
}
