import { expOfNegative } from '@murmuration/core'
import * as z from 'zod'

/** Why a kernel cannot learn what only one machine has. */
export const kernelNeedsAll =
  'with partition "local" no machine has the samples of all peers, and support vectors are among them; divide common data, or choose random Fourier features in place of the kernel'

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

/** Samples as a kernel compares them. */
export interface Points {
  readonly inputs: readonly Float32Array[]
  /** ‖x‖² of each. */
  readonly squares: Float64Array
}

/** Samples, with their squares. */
export function pointsFrom(inputs: readonly Float32Array[]): Points {
  const squares = Float64Array.from(inputs, (input) => {
    let sum = 0
    for (let i = 0; i < input.length; i++) sum += input[i] * input[i]
    return sum
  })
  return { inputs, squares }
}

/** How many samples are compared with all others at a time: they stay in the processor's cache. */
const tileSize = 64

/**
 * A kernel K(a, b), as LIBSVM defines it (`svm-train`'s option -t): aᵀb; exp(−γ ‖a − b‖²); or (γ aᵀb + coef0)^degree.
 * Sums run in float64 over ascending indices, so that K(a, b) and K(b, a) have the same bits.
 */
export class KernelFunction {
  readonly #apply: Apply
  /** Inputs of a tile in fours: the first numbers of four samples, then their second ones. */
  #tile = new Float64Array(0)
  readonly #row = new Float64Array(tileSize)

  constructor(options: KernelOptions) {
    this.#apply = applyOf(options)
  }

  /** Writes K(a_i, b_j) to `out[i * b.inputs.length + j]`. */
  table(a: Points, b: Points, out: Float64Array): void {
    const count = b.inputs.length
    this.#forEach(a, b, (row, i, from, to) => {
      for (let j = from; j < to; j++) out[i * count + j] = row[j - from]
    })
  }

  /** Adds Σ_i factors[i] K(a_i, b_j) to `sums[places[j]]`, in the order of i. A factor 0 costs nothing. */
  accumulate(a: Points, factors: Float64Array, b: Points, sums: Float64Array, places: ArrayLike<number>): void {
    this.#forEach(
      a,
      b,
      (row, i, from, to) => {
        const factor = factors[i]
        for (let j = from; j < to; j++) sums[places[j]] += factor * row[j - from]
      },
      factors
    )
  }

  /** Calls `visit` with K(a_i, b_j) for `from` ≤ j < `to`, tile by tile, and within one in the order of i. */
  #forEach(
    a: Points,
    b: Points,
    visit: (row: Float64Array, i: number, from: number, to: number) => void,
    factors?: Float64Array
  ): void {
    const row = this.#row
    for (let from = 0; from < b.inputs.length; from += tileSize) {
      const to = Math.min(from + tileSize, b.inputs.length)
      this.#fill(b.inputs, from, to)
      for (let i = 0; i < a.inputs.length; i++) {
        if (factors?.[i] === 0) continue
        productsOf(a.inputs[i], this.#tile, row, to - from)
        this.#apply(row, a.squares[i], b.squares, from, to)
        visit(row, i, from, to)
      }
    }
  }

  #fill(inputs: readonly Float32Array[], from: number, to: number): void {
    const width = inputs[from].length
    if (this.#tile.length < width * tileSize) this.#tile = new Float64Array(width * tileSize)
    for (let j = from; j < to; j++) {
      const input = inputs[j]
      let at = ((j - from) >> 2) * 4 * width + ((j - from) & 3)
      for (let i = 0; i < width; i++, at += 4) this.#tile[at] = input[i]
    }
  }
}

/** Turns the products of a point with the points `from` to `to`, whose ‖x‖² are `squares`, into values of a kernel. */
type Apply = (row: Float64Array, square: number, squares: Float64Array, from: number, to: number) => void

function applyOf(options: KernelOptions): Apply {
  if (options === 'linear') return () => {}
  if ('rbf' in options) {
    const { gamma } = options.rbf
    return (row, square, squares, from, to) => {
      for (let k = 0; k < to - from; k++)
        row[k] = expOfNegative(-gamma * Math.max(0, square + squares[from + k] - 2 * row[k]))
    }
  }
  const { degree, gamma, coef0 } = options.polynomial
  return (row, _square, _squares, from, to) => {
    for (let k = 0; k < to - from; k++) {
      const base = gamma * row[k] + coef0
      let power = base
      for (let n = 1; n < degree; n++) power *= base
      row[k] = power
    }
  }
}

/** xᵀy for each y of a tile. Four at a time: a sum alone waits for its last addition. */
function productsOf(x: Float32Array, tile: Float64Array, out: Float64Array, count: number): void {
  let at = 0
  for (let j = 0; j < count; j += 4) {
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let i = 0; i < x.length; i++, at += 4) {
      const value = x[i]
      s0 += value * tile[at]
      s1 += value * tile[at + 1]
      s2 += value * tile[at + 2]
      s3 += value * tile[at + 3]
    }
    out[j] = s0
    out[j + 1] = s1
    out[j + 2] = s2
    out[j + 3] = s3
  }
}
