/**
 * A symmetric tridiagonal matrix: its diagonal, and next to it `offDiagonal`, one shorter (further elements are
 * ignored).
 */
export interface Tridiagonal {
  readonly diagonal: readonly number[]
  readonly offDiagonal: readonly number[]
}

/** An eigenvalue, and the last component of its eigenvector of length 1, without the sign. */
export interface EigenvalueWithTail {
  readonly value: number
  readonly tail: number
}

/**
 * The largest eigenvalue, by bisection to the last bit (of 1, when it is smaller), and its eigenvector's last
 * component.
 */
export function largestEigenvalue(matrix: Tridiagonal): EigenvalueWithTail {
  const radius = gershgorin(matrix)
  const resolution = (radius * Number.EPSILON) / 4
  let low = -radius
  let high = radius
  while (high - low > resolution) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) break
    if (isAboveAll(matrix, middle)) high = middle
    else low = middle
  }
  return { value: low, tail: lastComponent(matrix, high + 16 * resolution) }
}

/** No eigenvalue is larger than this in size (Gershgorin's discs); at least 1. */
function gershgorin({ diagonal, offDiagonal }: Tridiagonal): number {
  const last = diagonal.length - 1
  const offDiagonalSum = (k: number) =>
    (k > 0 ? Math.abs(offDiagonal[k - 1]) : 0) + (k < last ? Math.abs(offDiagonal[k]) : 0)
  return diagonal.reduce((max, value, k) => Math.max(max, Math.abs(value) + offDiagonalSum(k)), 1) * 1.01
}

/** Whether all eigenvalues lie below `shift`: the pivots of `T − shift` are then all negative (Sylvester's inertia). */
function isAboveAll({ diagonal, offDiagonal }: Tridiagonal, shift: number): boolean {
  let pivot = diagonal[0] - shift
  for (let k = 1; k < diagonal.length && pivot < 0; k++) {
    pivot = diagonal[k] - shift - offDiagonal[k - 1] ** 2 / pivot
  }
  return pivot < 0
}

/**
 * The last component of the eigenvector whose eigenvalue lies just below `shift`, by inverse iteration. `shift − T` is
 * positive definite, so that elimination needs no pivoting.
 */
function lastComponent({ diagonal, offDiagonal }: Tridiagonal, shift: number): number {
  const size = diagonal.length
  const pivots = Float64Array.from(diagonal, (value) => shift - value)
  for (let k = 1; k < size; k++) pivots[k] -= offDiagonal[k - 1] ** 2 / pivots[k - 1]
  const x = new Float64Array(size).fill(1)
  for (let sweep = 0; sweep < 3; sweep++) {
    for (let k = 1; k < size; k++) x[k] += (offDiagonal[k - 1] / pivots[k - 1]) * x[k - 1]
    x[size - 1] /= pivots[size - 1]
    for (let k = size - 2; k >= 0; k--) x[k] = (x[k] + offDiagonal[k] * x[k + 1]) / pivots[k]
    const norm = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))
    for (let k = 0; k < size; k++) x[k] /= norm
  }
  return Math.abs(x[size - 1])
}
