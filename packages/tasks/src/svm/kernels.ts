import { z } from 'zod'
import { exponentialOf } from './exponential.js'

const gamma = z.number().gt(0).max(1e6)

/** `kernel:` of the task svm, with LIBSVM's names. */
export const kernelSchema = z.union(
  [
    z.literal('linear'),
    z.strictObject({ rbf: z.strictObject({ gamma }) }),
    z.strictObject({
      polynomial: z.strictObject({
        degree: z.int().min(1).max(10).default(3),
        gamma,
        coef0: z.number().min(0).max(1e6).default(0)
      })
    })
  ],
  {
    error: () =>
      'linear, { rbf: { gamma: 2 } } or { polynomial: { degree: 3, gamma: 1, coef0: 1 } }; gamma above 0, coef0 at least 0'
  }
)
export type KernelOptions = z.output<typeof kernelSchema>

/**
 * A kernel K(a, b), as LIBSVM defines it (Chang and Lin, ACM TIST 2(3), 2011): aᵀb; exp(−γ ‖a − b‖²); or
 * (γ aᵀb + coef0)^degree. Sums run in float64 over ascending indices, so that K(a, b) and K(b, a) have the same bits.
 */
export class KernelFunction {
  readonly #valueOf: (product: number, squares: number) => number
  #products = new Float64Array(0)

  constructor(options: KernelOptions) {
    this.#valueOf = valueOf(options)
  }

  /**
   * Writes K(point, others[k]) to `out[offset + k]`, for the first `count` others.
   *
   * @param square - ‖point‖²
   * @param squares - those of `others`
   */
  row(
    point: Float32Array,
    square: number,
    others: readonly Float32Array[],
    squares: Float64Array,
    out: Float64Array,
    offset = 0,
    count = others.length
  ): void {
    if (this.#products.length < count) this.#products = new Float64Array(count)
    productsOf(point, others, this.#products, count)
    for (let k = 0; k < count; k++) out[offset + k] = this.#valueOf(this.#products[k], square + squares[k])
  }
}

/** ‖x‖² of each point. */
export function squaresOf(points: readonly Float32Array[]): Float64Array {
  return Float64Array.from(points, (point) => {
    let sum = 0
    for (let i = 0; i < point.length; i++) sum += point[i] * point[i]
    return sum
  })
}

function valueOf(options: KernelOptions): (product: number, squares: number) => number {
  if (options === 'linear') return (product) => product
  if ('rbf' in options) {
    const { gamma } = options.rbf
    return (product, squares) => exponentialOf(-gamma * Math.max(0, squares - 2 * product))
  }
  const { degree, gamma, coef0 } = options.polynomial
  return (product) => {
    const base = gamma * product + coef0
    let power = base
    for (let n = 1; n < degree; n++) power *= base
    return power
  }
}

/** xᵀy for each y. Four at a time: a sum alone waits for its last addition. */
function productsOf(x: Float32Array, ys: readonly Float32Array[], out: Float64Array, count: number): void {
  let k = 0
  for (; k + 3 < count; k += 4) {
    const [y0, y1, y2, y3] = [ys[k], ys[k + 1], ys[k + 2], ys[k + 3]]
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let i = 0; i < x.length; i++) {
      const value = x[i]
      s0 += value * y0[i]
      s1 += value * y1[i]
      s2 += value * y2[i]
      s3 += value * y3[i]
    }
    out[k] = s0
    out[k + 1] = s1
    out[k + 2] = s2
    out[k + 3] = s3
  }
  for (; k < count; k++) {
    const y = ys[k]
    let sum = 0
    for (let i = 0; i < x.length; i++) sum += x[i] * y[i]
    out[k] = sum
  }
}
