import { InvariantError } from '@murmuration/core'

/** All eigenvalues of a symmetric matrix, in no order, and for each an eigenvector of length 1. */
export interface Eigenvectors {
  readonly values: Float64Array
  readonly vectors: readonly Float64Array[]
}

/** Far more steps than an eigenvalue takes: two or three. */
const maxStepsPerValue = 60

/**
 * The eigenvectors of a symmetric matrix, by Householder's reflections and implicit QR steps with Wilkinson's shift
 * (Golub and Van Loan, Matrix Computations, algorithms 8.3.1 to 8.3.3). Errors are a few roundings of the largest
 * eigenvalue; the time grows with the cube of the size.
 *
 * @param matrix - its rows, which are overwritten
 */
export function eigenvectorsOf(matrix: readonly Float64Array[]): Eigenvectors {
  const size = matrix.length
  const vectors = matrix.map((_, k) => Float64Array.from({ length: size }, (_, column) => (column === k ? 1 : 0)))
  for (let k = 0; k < size - 2; k++) reflect(matrix, vectors, k)
  const values = Float64Array.from(matrix, (row, k) => row[k])
  const beside = Float64Array.from({ length: Math.max(0, size - 1) }, (_, k) => matrix[k][k + 1])
  const scale = values.reduce((most, value, k) => Math.max(most, Math.abs(value) + Math.abs(beside[k] ?? 0)), 0)
  const isZero = (k: number) => Math.abs(beside[k]) <= Number.EPSILON * scale
  let last = size - 1
  for (let step = 0; last > 0; step++) {
    if (step > maxStepsPerValue * size) throw new InvariantError(`the eigenvectors of ${size} peers did not converge`)
    if (isZero(last - 1)) {
      last--
      continue
    }
    let first = last - 1
    while (first > 0 && !isZero(first - 1)) first--
    stepWith({ values, beside, vectors }, first, last)
  }
  return { values, vectors }
}

/** Makes column and row k zero beyond the element next to the diagonal. */
function reflect(matrix: readonly Float64Array[], vectors: readonly Float64Array[], k: number): void {
  const size = matrix.length
  const normal = new Float64Array(size)
  for (let i = k + 1; i < size; i++) normal[i] = matrix[i][k]
  const length = lengthOf(normal)
  normal[k + 1] += normal[k + 1] < 0 ? -length : length
  const ofNormal = lengthOf(normal)
  if (ofNormal === 0) return
  for (let i = k + 1; i < size; i++) normal[i] /= ofNormal
  const image = Float64Array.from(matrix, (row) => 2 * dot(row, normal))
  const along = dot(image, normal)
  for (let i = 0; i < size; i++) image[i] -= along * normal[i]
  for (let i = 0; i < size; i++) {
    addScaled(matrix[i], -normal[i], image)
    addScaled(matrix[i], -image[i], normal)
  }
  const sum = new Float64Array(size)
  for (let i = k + 1; i < size; i++) addScaled(sum, normal[i], vectors[i])
  for (let i = k + 1; i < size; i++) addScaled(vectors[i], -2 * normal[i], sum)
}

/** A tridiagonal matrix: its diagonal, what is beside it, and the rotations so far. */
interface Rotated {
  readonly values: Float64Array
  readonly beside: Float64Array
  readonly vectors: readonly Float64Array[]
}

/** One QR step on the rows and columns from `first` to `last`, none of whose elements beside the diagonal are zero. */
function stepWith({ values, beside, vectors }: Rotated, first: number, last: number): void {
  const half = (values[last - 1] - values[last]) / 2
  const corner = beside[last - 1]
  const root = Math.sqrt(half * half + corner * corner)
  let x = values[first] - values[last] + (corner * corner) / (half < 0 ? half - root : half + root)
  let z = beside[first]
  for (let k = first; k < last; k++) {
    const length = Math.sqrt(x * x + z * z)
    const [cosine, sine] = length === 0 ? [1, 0] : [x / length, z / length]
    if (k > first) beside[k - 1] = length
    const [upper, lower, between] = [values[k], values[k + 1], beside[k]]
    const change = sine * (sine * (lower - upper) + 2 * cosine * between)
    values[k] = upper + change
    values[k + 1] = lower - change
    beside[k] = (cosine * cosine - sine * sine) * between + cosine * sine * (lower - upper)
    if (k < last - 1) {
      x = beside[k]
      z = sine * beside[k + 1]
      beside[k + 1] *= cosine
    }
    rotate(vectors[k], vectors[k + 1], cosine, sine)
  }
}

function rotate(upper: Float64Array, lower: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < upper.length; i++) {
    const [a, b] = [upper[i], lower[i]]
    upper[i] = cosine * a + sine * b
    lower[i] = cosine * b - sine * a
  }
}

function addScaled(into: Float64Array, factor: number, vector: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] += factor * vector[i]
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector))
}
