import { invariant } from '@murmuration/core'
import type { Operand, Workspace } from './wasm/workspace.js'
import { workspaceFor } from './wasm/workspaces.js'

/** One term of a weighted sum. */
export interface Term {
  readonly weight: number
  readonly vector: Float32Array
}

/** From this length on, kernels in WebAssembly are faster than loops, even with copies to their memory. */
const kernelLength = 1024

/** How many elements are summed in float64 at a time; 16 KiB, so that they stay in the first-level cache. */
const blockLength = 2048

/** The sums of one block; nothing else runs between its first use and its last. */
const blockSums = new Float64Array(blockLength)

/** The initial sums of squares when no kernel has computed any. */
const noSquares = new Float64Array(8)

/**
 * `out[i] = Σ_t weight_t · vector_t[i]`, summed in float64 in the order of `terms` and rounded to float32 once. The
 * order is part of the result: order the terms by the peers' names, never by arrival.
 *
 * Long vectors in a `KernelMemory` are summed in place, others block by block through a copy: the result is the same.
 *
 * @param out - as long as every term's vector; may be one of them
 * @param from - the first element that is computed; those before it, and from `to` on, are unchanged
 */
export function weightedSum(out: Float32Array, terms: readonly Term[], from = 0, to = out.length): Float32Array {
  for (const { vector } of terms) sameLength(out, vector)
  inRange(out, from, to)
  const rest = isShort(from, to) || terms.length === 0 ? from : sumWithKernel(out, terms, from, to)
  addUp(out, terms, rest, to)
  return out
}

function sumWithKernel(out: Float32Array, terms: readonly Term[], from: number, to: number): number {
  const operands: Operand[] = [{ vector: out, use: 'write' }]
  for (const { weight, vector } of terms) operands.push({ vector, use: 'read', factor: weight })
  return workspaceFor(operands)?.run('sum', operands, from, to) ?? from
}

function addUp(out: Float32Array, terms: readonly Term[], from: number, to: number): void {
  if (terms.length === 2) return addTwoAtOnce(out, terms[0], terms[1], from, to)
  if (terms.length === 3) return addThreeAtOnce(out, terms[0], terms[1], terms[2], from, to)
  const sums = blockSums
  for (let start = from; start < to; start += blockLength) {
    const length = Math.min(blockLength, to - start)
    sums.fill(0, 0, length)
    for (let t = 0; t + 1 < terms.length; t += 2) addTwo(sums, terms[t], terms[t + 1], start, length)
    if (terms.length % 2 === 1) addOne(sums, terms[terms.length - 1], start, length)
    for (let i = 0; i < length; i++) out[start + i] = sums[i]
  }
}

/** Starts from 0 as the sums do: −0 becomes 0. */
function addTwoAtOnce(out: Float32Array, first: Term, second: Term, from: number, to: number): void {
  const { weight: a, vector: x } = first
  const { weight: b, vector: y } = second
  for (let i = from; i < to; i++) out[i] = 0 + a * x[i] + b * y[i]
}

function addThreeAtOnce(out: Float32Array, first: Term, second: Term, third: Term, from: number, to: number): void {
  const { weight: a, vector: x } = first
  const { weight: b, vector: y } = second
  const { weight: c, vector: z } = third
  for (let i = from; i < to; i++) out[i] = 0 + a * x[i] + b * y[i] + c * z[i]
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
  return Math.sqrt(squaredDistance(x, y))
}

/**
 * `Σ (x[i] − y[i])²` for `i` from `from` to below `to`, in float64. There are eight partial sums: element `from + k` is
 * added to sum `k mod 8`, and at the end they are added as `((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))`. The
 * bits of a sum over several ranges therefore depend on their boundaries.
 */
export function squaredDistance(x: Float32Array, y: Float32Array, from = 0, to = x.length): number {
  sameLength(x, y)
  inRange(x, from, to)
  return isShort(from, to) ? addSquares(noSquares, x, y, from, to) : squaresWithKernel(x, y, from, to)
}

function squaresWithKernel(x: Float32Array, y: Float32Array, from: number, to: number): number {
  const operands: Operand[] = [
    { vector: x, use: 'read' },
    { vector: y, use: 'read' }
  ]
  const workspace = workspaceFor(operands)
  if (workspace === undefined) return addSquares(noSquares, x, y, from, to)
  const rest = workspace.run('squares', operands, from, to)
  return addSquares(workspace.numbers, x, y, rest, to)
}

/** Adds squares to the eight sums, beginning with the element at `from` and the first sum, and returns the total. */
function addSquares(sums: Float64Array, x: Float32Array, y: Float32Array, from: number, to: number): number {
  let a = sums[0]
  let b = sums[1]
  let c = sums[2]
  let d = sums[3]
  let e = sums[4]
  let f = sums[5]
  let g = sums[6]
  let h = sums[7]
  let i = from
  for (const last = to - 7; i < last; i += 8) {
    a += square(x[i] - y[i])
    b += square(x[i + 1] - y[i + 1])
    c += square(x[i + 2] - y[i + 2])
    d += square(x[i + 3] - y[i + 3])
    e += square(x[i + 4] - y[i + 4])
    f += square(x[i + 5] - y[i + 5])
    g += square(x[i + 6] - y[i + 6])
    h += square(x[i + 7] - y[i + 7])
  }
  if (i < to) a += square(x[i] - y[i])
  if (i + 1 < to) b += square(x[i + 1] - y[i + 1])
  if (i + 2 < to) c += square(x[i + 2] - y[i + 2])
  if (i + 3 < to) d += square(x[i + 3] - y[i + 3])
  if (i + 4 < to) e += square(x[i + 4] - y[i + 4])
  if (i + 5 < to) f += square(x[i + 5] - y[i + 5])
  if (i + 6 < to) g += square(x[i + 6] - y[i + 6])
  return a + b + (c + d) + (e + f + (g + h))
}

function square(x: number): number {
  return x * x
}

/** The mean of `vectors` (at least one), all with the same weight. */
export function mean(vectors: readonly Float32Array[]): Float32Array {
  invariant(vectors.length > 0, 'found no vectors, expected at least one for a mean')
  const weight = 1 / vectors.length
  return weightedSum(
    new Float32Array(vectors[0].length),
    vectors.map((vector) => ({ weight, vector }))
  )
}

/**
 * The consensus distance: `√( 1/n Σ_i ‖x_i − x̄‖² )` with `x̄` the mean of the n vectors, in the unit of the
 * parameters. Kong et al. 2021 (Consensus Control) call it Ξ.
 */
export function consensusDistance(vectors: readonly Float32Array[]): number {
  const centre = mean(vectors)
  const squares = vectors.map((vector) => distance(vector, centre) ** 2)
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / vectors.length)
}

/** Whether no element is NaN or infinite. */
export function allFinite(x: Float32Array): boolean {
  if (isShort(0, x.length)) return isSumFinite(x, 0)
  const operands: Operand[] = [{ vector: x, use: 'read' }]
  const workspace = workspaceFor(operands)
  if (workspace === undefined) return isSumFinite(x, 0)
  const rest = workspace.run('magnitude', operands, 0, x.length)
  return foundFinite(workspace) && isSumFinite(x, rest)
}

/**
 * Whether `‖x‖` is below a limit: no number of x is as large, and none is NaN. It takes as long as {@link allFinite},
 * where the limit is not close.
 */
export function isShorter(x: Float32Array, limit: number): boolean {
  if (isShort(0, x.length)) return sumOfSquares(x, 0) < limit * limit
  const operands: Operand[] = [{ vector: x, use: 'read' }]
  const workspace = workspaceFor(operands)
  if (workspace === undefined) return sumOfSquares(x, 0) < limit * limit
  const rest = workspace.run('magnitude', operands, 0, x.length)
  // Without their signs, the bits of float32 numbers are ordered as they are, and those of NaN come last.
  bitsOfOne[0] = Math.max(...workspace.integers.subarray(0, 4))
  const most = one[0] ** 2 * rest + sumOfSquares(x, rest)
  return most < limit * limit || sumOfSquares(x, 0) < limit * limit
}

/** A float32 number and its bits. */
const one = new Float32Array(1)
const bitsOfOne = new Uint32Array(one.buffer)

/** In float64, where squares of float32 numbers do not overflow. */
function sumOfSquares(x: Float32Array, from: number): number {
  const { length } = x
  let a = 0
  let b = 0
  let i = from
  for (const last = length - 3; i < last; i += 4) {
    a += x[i] * x[i] + x[i + 1] * x[i + 1]
    b += x[i + 2] * x[i + 2] + x[i + 3] * x[i + 3]
  }
  for (; i < length; i++) a += x[i] * x[i]
  return a + b
}

/**
 * NaN and ∞ persist in a sum, and sums of float32 numbers are far from overflowing in float64: one check covers all.
 */
function isSumFinite(x: Float32Array, from: number): boolean {
  const { length } = x
  let sum = 0
  let i = from
  for (const last = length - 3; i < last; i += 4) sum += x[i] + x[i + 1] + (x[i + 2] + x[i + 3])
  for (; i < length; i++) sum += x[i]
  return Number.isFinite(sum)
}

/** Whether the numbers whose magnitude a kernel has found are finite: others have all bits of the exponent set. */
function foundFinite({ integers }: Workspace): boolean {
  return integers.subarray(0, 4).every((magnitude) => magnitude < 0x7f800000)
}

function isShort(from: number, to: number): boolean {
  return to - from < kernelLength
}

function inRange(x: Float32Array, from: number, to: number): void {
  const within = from >= 0 && from <= to && to <= x.length && Number.isInteger(from) && Number.isInteger(to)
  if (!within) invariant(false, `found elements ${from} to ${to} of ${x.length}, expected a range within them`)
}

function sameLength(x: Float32Array, y: Float32Array): void {
  if (x.length !== y.length)
    invariant(false, `found vectors of ${x.length} and ${y.length} elements, expected equal lengths`)
}
