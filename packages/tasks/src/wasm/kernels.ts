import { instantiate, type KernelMemory } from '@murmuration/vectors/wasm'
import { models } from './modules.js'

/** How many numbers of a row are computed side by side: the length of a row is a multiple of it. */
export const rowStep = 16

/**
 * The products of linear models, as the sources in assembly/ define them. All arguments are addresses in the kernels'
 * memory, except `stride`, the length of a matrix's row in bytes. The bits of all sums are the same on every machine.
 */
export interface ModelKernels {
  /**
   * `scores[b] = Σ_i X[batch[b], i] · weights[i]` in float32; `batch` to `end` are the numbers of the rows (uint32), at
   * least one.
   */
  scoreRows(batch: number, end: number, rows: number, stride: number, weights: number, scores: number): void
  /** `out[i] = Σ_b factors[b] · X[batch[b], i]` in float32. */
  combineRows(batch: number, end: number, rows: number, stride: number, factors: number, out: number): void
  /**
   * `scores[k] += Σ_i x[i] · weights[i, k]` in float64; `x` to `end` are the inputs of a sample (float32); the number
   * of classes is even.
   */
  scoreClasses(x: number, end: number, weights: number, stride: number, scores: number): void
  /** `sums[i, k] += x[i] · errors[k]` in float64. */
  accumulateClasses(x: number, end: number, sums: number, stride: number, errors: number): void
}

export function modelKernels({ memory }: KernelMemory): ModelKernels {
  return instantiate(models, memory)
}
