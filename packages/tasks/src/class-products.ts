import { KernelMemory } from '@murmuration/vectors'
import { type ModelKernels, modelKernels } from './wasm/kernels.js'

/**
 * The two products of a linear model with several outputs, `Wᵀ x` and a sum of `x sᵀ`, over rows x of float32 numbers
 * that lie in the memory of the kernels. W is `[length, outputs]`, flat. Sums run in float64, each in the order of the
 * inputs, so that their bits are the same on every machine.
 */
export class ClassProducts {
  /** The result of {@link score}, and what {@link accumulate} takes. */
  readonly scores: Float64Array
  readonly #length: number
  readonly #outputs: number
  /** The outputs, padded to an even number. */
  readonly width: number
  readonly #kernels: ModelKernels
  readonly #rows: Float32Array
  /** The sum of {@link accumulate}, as `[length, width]`. */
  readonly sums: Float64Array
  /** W in float64, as `[length, width]`. */
  readonly #weights: Float64Array
  /** The addresses for the kernels, stored: reading them from an array each time costs as much as a short sum. */
  readonly #addresses: Readonly<Record<'rows' | 'weights' | 'scores' | 'sums', number>>

  /** Throws an {@link InputError} where the rows need more memory than kernels can have. */
  constructor({ rows, length, outputs }: { readonly rows: number; readonly length: number; readonly outputs: number }) {
    const width = outputs + (outputs % 2)
    const memory = KernelMemory.fixed([4 * rows * length, 8 * length * width, 8 * width, 8 * length * width])
    this.#length = length
    this.#outputs = outputs
    this.width = width
    this.#kernels = modelKernels(memory)
    this.#rows = memory.float32(rows * length)
    this.#weights = memory.float64(length * width)
    this.scores = memory.float64(width)
    this.sums = memory.float64(length * width)
    this.#addresses = {
      rows: this.#rows.byteOffset,
      weights: this.#weights.byteOffset,
      scores: this.scores.byteOffset,
      sums: this.sums.byteOffset
    }
  }

  /** The numbers of a row, to be filled. */
  row(row: number): Float32Array {
    return this.#rows.subarray(row * this.#length, (row + 1) * this.#length)
  }

  /** Takes W, and starts a new sum. */
  begin(weights: ArrayLike<number>): void {
    const wide = this.#weights
    const length = this.#length
    const outputs = this.#outputs
    const { width } = this
    for (let i = 0; i < length; i++) for (let k = 0; k < outputs; k++) wide[i * width + k] = weights[i * outputs + k]
    this.sums.fill(0)
  }

  /** Adds `Wᵀ x` of a row to the scores. */
  score(row: number): void {
    const { rows, weights, scores } = this.#addresses
    const at = rows + 4 * row * this.#length
    this.#kernels.scoreClasses(at, at + 4 * this.#length, weights, 8 * this.width, scores)
  }

  /** Adds `x sᵀ` to the sum, s being the scores. */
  accumulate(row: number): void {
    const { rows, scores, sums } = this.#addresses
    const at = rows + 4 * row * this.#length
    this.#kernels.accumulateClasses(at, at + 4 * this.#length, sums, 8 * this.width, scores)
  }

  /** Adds `x sᵀ` to W, s being the scores. */
  move(row: number): void {
    const { rows, scores, weights } = this.#addresses
    const at = rows + 4 * row * this.#length
    this.#kernels.accumulateClasses(at, at + 4 * this.#length, weights, 8 * this.width, scores)
  }

  /** Writes W, rounded, to `out`. */
  copyTo(out: Float32Array): void {
    const outputs = this.#outputs
    for (let at = 0; at < out.length; at++)
      out[at] = this.#weights[Math.floor(at / outputs) * this.width + (at % outputs)]
  }

  /** The output with the largest score, the first of several. */
  get largest(): number {
    const { scores } = this
    let best = 0
    for (let k = 1; k < this.#outputs; k++) if (scores[k] > scores[best]) best = k
    return best
  }
}
