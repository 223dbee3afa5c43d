import type { Random } from '@murmuration/core'
import { direction } from '@murmuration/random'

/** Small dense vectors and square matrices (by rows) in float64, for problems whose solution must be known exactly. */

export type DoubleVector = Float64Array

/** The inner product. */
export function inner(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i]
  return sum
}

/** `x + a · y` as a new vector. */
export function plus(x: ArrayLike<number>, a: number, y: ArrayLike<number>): DoubleVector {
  return addTo(Float64Array.from(x), a, y)
}

/** `x += a · y`, in place. */
export function addTo(x: DoubleVector, a: number, y: ArrayLike<number>): DoubleVector {
  for (let i = 0; i < x.length; i++) x[i] += a * y[i]
  return x
}

/** The mean of at least one vector. */
export function average(vectors: readonly DoubleVector[]): DoubleVector {
  const sum = new Float64Array(vectors[0].length)
  for (const vector of vectors) addTo(sum, 1, vector)
  return sum.map((value) => value / vectors.length)
}

/** The matrix times the vector, into `out` if it is given. */
export function times(
  matrix: DoubleVector,
  x: ArrayLike<number>,
  out: DoubleVector = new Float64Array(x.length)
): DoubleVector {
  const size = x.length
  for (let row = 0; row < size; row++) {
    let sum = 0
    for (let i = 0; i < size; i++) sum += matrix[row * size + i] * x[i]
    out[row] = sum
  }
  return out
}

/** `size` random orthonormal vectors: Gram and Schmidt, each projected twice against rounding. */
export function orthonormal(size: number, random: Random): DoubleVector[] {
  const basis: DoubleVector[] = []
  while (basis.length < size) {
    const vector = direction(size, random)
    for (const other of [...basis, ...basis]) addTo(vector, -inner(vector, other), other)
    const length = Math.sqrt(inner(vector, vector))
    if (length > 1e-9) basis.push(vector.map((value) => value / length))
  }
  return basis
}

/** The symmetric matrix with the given eigenvectors and eigenvalues. */
export function symmetric(vectors: readonly DoubleVector[], values: readonly number[]): DoubleVector {
  const size = vectors.length
  const matrix = new Float64Array(size * size)
  vectors.forEach((vector, k) => {
    for (let row = 0; row < size; row++) {
      for (let i = 0; i < size; i++) matrix[row * size + i] += values[k] * vector[row] * vector[i]
    }
  })
  return matrix
}

/**
 * The x with `matrix · x = y`, by elimination; without pivots, so the matrix must be symmetric and positive definite.
 */
export function solve(matrix: DoubleVector, y: DoubleVector): DoubleVector {
  const size = y.length
  const rows: DoubleVector[] = Array.from({ length: size }, (_, i) =>
    Float64Array.of(...matrix.subarray(i * size, (i + 1) * size), y[i])
  )
  for (let pivot = 0; pivot < size; pivot++) {
    rows[pivot] = rows[pivot].map((value) => value / rows[pivot][pivot])
    for (let row = 0; row < size; row++) {
      if (row !== pivot) rows[row] = plus(rows[row], -rows[row][pivot], rows[pivot])
    }
  }
  return Float64Array.from(rows, (row) => row[size])
}
