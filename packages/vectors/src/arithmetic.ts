import { invariant } from '@murmuration/core'

/** One vector of a weighted sum. */
export interface Term {
  readonly weight: number
  readonly vector: Float32Array
}

/** How many elements are summed in float64 at a time; 16 KiB, so that they stay in the first-level cache. */
const blockLength = 2048

/** The sums of one block; nothing else runs between its first use and its last. */
const blockSums = new Float64Array(blockLength)

/**
 * `out[i] = Σ_t weight_t · vector_t[i]`, summed in float64 in the order of `terms` and rounded to float32 once.
 * The order is part of the result: give the terms in the order of the peers' names, never of arrival.
 *
 * @param out - as long as every term's vector; may be one of them
 */
export function weightedSum(out: Float32Array, terms: readonly Term[]): Float32Array {
  for (const { vector } of terms) sameLength(out, vector)
  const sums = blockSums
  for (let start = 0; start < out.length; start += blockLength) {
    const length = Math.min(blockLength, out.length - start)
    sums.fill(0, 0, length)
    for (let t = 0; t + 1 < terms.length; t += 2) addTwo(sums, terms[t], terms[t + 1], start, length)
    if (terms.length % 2 === 1) addOne(sums, terms[terms.length - 1], start, length)
    for (let i = 0; i < length; i++) out[start + i] = sums[i]
  }
  return out
}

function addOne(sums: Float64Array, { weight, vector }: Term, start: number, length: number): void {
  for (let i = 0; i < length; i++) sums[i] += weight * vector[start + i]
}

/** Two terms in one pass over `sums`, in their order: the same result, a third less time. */
function addTwo(sums: Float64Array, first: Term, second: Term, start: number, length: number): void {
  const { weight: a, vector: x } = first
  const { weight: b, vector: y } = second
  for (let i = 0; i < length; i++) sums[i] = sums[i] + a * x[start + i] + b * y[start + i]
}

/** `y += a · x`, in place. */
export function axpy(y: Float32Array, a: number, x: Float32Array): Float32Array {
  sameLength(y, x)
  for (let i = 0; i < y.length; i++) y[i] += a * x[i]
  return y
}

/** `x *= a`, in place. */
export function scale(x: Float32Array, a: number): Float32Array {
  for (let i = 0; i < x.length; i++) x[i] *= a
  return x
}

/** The inner product, summed in float64. */
export function dot(x: Float32Array, y: Float32Array): number {
  sameLength(x, y)
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i]
  return sum
}

/** The Euclidean norm `‖x‖`. */
export function norm(x: Float32Array): number {
  return Math.sqrt(dot(x, x))
}

/** The Euclidean distance `‖x − y‖`. */
export function distance(x: Float32Array, y: Float32Array): number {
  sameLength(x, y)
  let sum = 0
  for (let i = 0; i < x.length; i++) {
    const difference = x[i] - y[i]
    sum += difference * difference
  }
  return Math.sqrt(sum)
}

/** The mean of `vectors` (at least one), each with the same weight. */
export function mean(vectors: readonly Float32Array[]): Float32Array {
  invariant(vectors.length > 0, 'the mean of no vectors was asked for')
  const weight = 1 / vectors.length
  return weightedSum(
    new Float32Array(vectors[0].length),
    vectors.map((vector) => ({ weight, vector }))
  )
}

/**
 * The consensus distance: `√( 1/n Σ_i ‖x_i − x̄‖² )` with `x̄` the mean of the n vectors, in the unit of the parameters.
 * Kong et al. 2021 (Consensus Control) call it Ξ.
 */
export function consensusDistance(vectors: readonly Float32Array[]): number {
  const centre = mean(vectors)
  const squares = vectors.map((vector) => distance(vector, centre) ** 2)
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / vectors.length)
}

/** Whether no element is NaN or infinite. */
export function allFinite(x: Float32Array): boolean {
  // 0 · NaN and 0 · ∞ are NaN, and NaN stays: one check at the end instead of one per element.
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += 0 * x[i]
  return sum === 0
}

function sameLength(x: Float32Array, y: Float32Array): void {
  invariant(x.length === y.length, () => `vectors of ${x.length} and ${y.length} elements cannot be combined`)
}
