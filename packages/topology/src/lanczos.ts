import { InvariantError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { type EigenvalueWithTail, largestEigenvalue } from './tridiagonal.js'

/** A symmetric linear map on vectors of `size` numbers: writes its value at `x` into `into`. */
export type SymmetricMap = (x: Float64Array, into: Float64Array) => void

/** The smallest and the largest eigenvalue. */
export interface Extremes {
  readonly smallest: number
  readonly largest: number
}

/** Coupling below this means that the vectors reached so far span everything that the map mixes. */
const breakdown = 1e-13

/**
 * The extreme eigenvalues of a symmetric map on the vectors whose components sum to 0, by the method of Lanczos (1950).
 * The map must keep that sum at 0. Its norm is about 1.
 *
 * Vectors are not reorthogonalised: lost orthogonality repeats eigenvalues that were found but does not move the
 * extremes (Paige 1976), and memory stays at three vectors where 10,000 would be needed. The vector of ones is
 * projected out at each step, since rounding would bring it back.
 */
export function extremeEigenvalues(size: number, map: SymmetricMap): Extremes {
  if (size < 2) return { smallest: 0, largest: 0 }
  const diagonal: number[] = []
  const offDiagonal: number[] = []
  let previous: Float64Array = new Float64Array(size)
  let current: Float64Array = startVector(size)
  let next: Float64Array = new Float64Array(size)
  for (let step = 1, check = 1; step <= 100 + 20 * size; step++) {
    map(current, next)
    addScaled(next, -(offDiagonal[step - 2] ?? 0), previous)
    diagonal.push(dot(next, current))
    addScaled(next, -diagonal[step - 1], current)
    centre(next)
    const coupling = Math.sqrt(dot(next, next))
    if (step === check || coupling < breakdown) {
      const extremes = extremesOf(diagonal, offDiagonal, coupling)
      if (extremes !== undefined) return extremes
      check = step + Math.max(8, Math.floor(step / 10))
    }
    offDiagonal.push(coupling)
    scale(next, 1 / coupling)
    ;[previous, current, next] = [current, next, previous]
  }
  throw new InvariantError(`the eigenvalues of ${size} peers did not converge`)
}

/** The extremes of the tridiagonal matrix so far, once they are near enough to those of the map. */
function extremesOf(diagonal: readonly number[], offDiagonal: readonly number[], coupling: number) {
  const largest = largestEigenvalue({ diagonal, offDiagonal })
  const smallest = largestEigenvalue({ diagonal: diagonal.map((value) => -value), offDiagonal })
  if (![largest, smallest].every((end) => isSettled(end, coupling))) return undefined
  return { smallest: -smallest.value, largest: largest.value }
}

/**
 * An eigenvalue of the map lies within `coupling × tail` of the one found, and in practice within about the square of
 * that. The nearer it is to 1, the more precise it must be, since its distance from 1 is what counts.
 */
function isSettled({ value, tail }: EigenvalueWithTail, coupling: number): boolean {
  return coupling * tail <= Math.max(breakdown, Math.min(1e-7, 1e-4 * (1 - Math.abs(value))))
}

function startVector(size: number): Float64Array {
  const random = createRandom(0, 'lanczos')
  const vector = Float64Array.from({ length: size }, () => random.normal())
  centre(vector)
  scale(vector, 1 / Math.sqrt(dot(vector, vector)))
  return vector
}

/** Subtracts the mean from each component, so that they sum to 0. */
export function centre(vector: Float64Array): void {
  let sum = 0
  for (let k = 0; k < vector.length; k++) sum += vector[k]
  const mean = sum / vector.length
  for (let k = 0; k < vector.length; k++) vector[k] -= mean
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0
  for (let k = 0; k < left.length; k++) sum += left[k] * right[k]
  return sum
}

function addScaled(target: Float64Array, factor: number, vector: Float64Array): void {
  for (let k = 0; k < target.length; k++) target[k] += factor * vector[k]
}

function scale(vector: Float64Array, factor: number): void {
  for (let k = 0; k < vector.length; k++) vector[k] *= factor
}
