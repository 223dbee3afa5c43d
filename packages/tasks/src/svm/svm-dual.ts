import { type DualOptions, type DualStep, InputError, invariant, type TaskDual, type Work } from '@murmuration/core'
import type { ClassProducts } from '../class-products.js'

/** The samples of one peer, and the objective. */
interface SvmDualOptions {
  /** Whether the loss is the square of the hinge. */
  readonly isSquared: boolean
  /** λ without weight decay. */
  readonly l2: number
  readonly products: ClassProducts
  /** The number of vectors: 1 for two classes. */
  readonly outputs: number
  /** The classes of all rows. */
  readonly targets: Float32Array
  readonly first: number
  readonly samples: number
  readonly meanSamples: number
}

/**
 * The dual of an SVM: `−ℓ*(−a) = a` on [0, 1] for the hinge, `a − a²/4` on [0, ∞) for its square. A step maximises it
 * exactly in one variable (Hsieh et al., ICML 2008, Algorithm 1, where C = 1 / (λ N)). The variables of
 * several vectors are independent; losses and gaps are the means over the vectors.
 */
export class SvmDual implements TaskDual {
  readonly width: number
  readonly #options: SvmDualOptions
  /** ‖x‖² of each sample; computed at the first step. */
  #squares: Float64Array | undefined
  #vector: Float32Array | undefined
  #a: Float32Array | undefined

  constructor(options: SvmDualOptions) {
    this.width = options.outputs
    this.#options = options
  }

  step(v: Float32Array, a: Float32Array, order: Uint32Array, options: DualOptions = {}): Work<DualStep> {
    return { kind: 'dual', samples: order.length, run: () => this.#step(v, a, order, options) }
  }

  #step(
    v: Float32Array,
    start: Float32Array,
    order: Uint32Array,
    { weightDecay = 0, meanSamples = this.#options.meanSamples }: DualOptions
  ): DualStep {
    const { products, first, samples } = this.#options
    const { width } = this
    // The loss is the mean over the vectors, and so is the penalty in it.
    const λ = this.#options.l2 + weightDecay * width
    if (!(λ > 0)) throw new InputError('the penalty is 0, and then there is no dual; set l2 to a number above 0')
    invariant(start.length === width * samples, () => `found ${start.length} variables, expected ${width * samples}`)
    invariant(
      order.every((sample) => sample < samples),
      () => `found a sample in the order that is none, expected samples below ${samples}`
    )
    const vector = (this.#vector ??= new Float32Array(v.length))
    const a = (this.#a ??= new Float32Array(start.length))
    const squares = (this.#squares ??= this.#squaresOf())
    a.set(start)
    products.begin(v)
    const before = this.#measure(v, a, λ, meanSamples)
    const scale = λ * meanSamples
    for (const sample of order) {
      this.#score(first + sample)
      if (this.#ascend(a, sample, squares[sample] / scale, scale)) products.move(first + sample)
    }
    products.copyTo(vector)
    return { vector, a, ...before }
  }

  /**
   * Maximises the dual in the variables of a sample, whose scores are given. The scores become what its row is added to
   * the vectors with. Returns whether anything changes.
   *
   * @param curvature - `‖x‖² / (λ n)`
   * @param scale - `λ n`
   */
  #ascend(a: Float32Array, sample: number, curvature: number, scale: number): boolean {
    const { isSquared, products, targets, first } = this.#options
    const { scores } = products
    let hasChanged = false
    for (let k = 0; k < this.width; k++) {
      const at = sample * this.width + k
      const sign = this.#sign(targets[first + sample], k)
      const old = a[at]
      const missing = 1 - sign * scores[k]
      const next = isSquared ? old + (missing - old / 2) / (curvature + 0.5) : old + missing / curvature
      a[at] = Math.max(0, isSquared ? next : Math.min(1, next))
      scores[k] = (sign * (a[at] - old)) / scale
      hasChanged ||= a[at] !== old
    }
    return hasChanged
  }

  /** The local parts of P and of the gap at v, whose products have begun. */
  #measure(v: Float32Array, a: Float32Array, λ: number, meanSamples: number): Pick<DualStep, 'loss' | 'gap'> {
    const { isSquared, products, targets, first, samples, outputs } = this.#options
    const squares = this.#squares as Float64Array
    let losses = 0
    let duals = 0
    let slopes = 0
    let curvatures = 0
    for (let sample = 0; sample < samples; sample++) {
      this.#score(first + sample)
      const length = Math.sqrt(squares[sample])
      for (let k = 0; k < outputs; k++) {
        const missing = Math.max(0, 1 - this.#sign(targets[first + sample], k) * products.scores[k])
        const variable = a[sample * outputs + k]
        losses += isSquared ? missing * missing : missing
        duals += isSquared ? variable - (variable * variable) / 4 : variable
        slopes += isSquared ? 2 * missing * length : length
        curvatures += isSquared ? squares[sample] : 0
      }
    }
    const square = λ * v.reduce((sum, weight) => sum + weight * weight, 0)
    const mean = (sum: number) => sum / (meanSamples * outputs)
    return {
      loss: square / (2 * outputs) + mean(losses),
      gap: { value: square / outputs + mean(losses - duals), slope: mean(slopes), curvature: mean(curvatures) }
    }
  }

  #sign(target: number, k: number): number {
    return target === (this.width === 1 ? 1 : k) ? 1 : -1
  }

  #score(row: number): void {
    const { products } = this.#options
    products.scores.fill(0)
    products.score(row)
  }

  #squaresOf(): Float64Array {
    const { products, first, samples } = this.#options
    const squareOf = (row: Float32Array) => row.reduce((sum, value) => sum + value * value, 0)
    return Float64Array.from({ length: samples }, (_, sample) => squareOf(products.row(first + sample)))
  }
}
