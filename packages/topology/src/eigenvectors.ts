/** Eigenvalues, and eigenvectors of length 1, one after the other. */
export interface Eigenpairs {
  readonly values: Float64Array
  readonly vectors: readonly Float64Array[]
}

/** What is smaller than this beside the diagonal moves no eigenvalue by more than its square. */
const small = 1e-9

/** All eigenpairs of a symmetric matrix of `size` rows, which is overwritten: Jacobi's rotations (1846), row by row, until next to nothing is left beside the diagonal. */
export function eigenpairsOf(matrix: Float64Array, size: number): Eigenpairs {
  const vectors = Array.from({ length: size }, (_, k) => Float64Array.from({ length: size }, (_, i) => Number(i === k)))
  for (let sweep = 0; sweep < 50 && largestBeside(matrix, size) > small; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) annihilate(matrix, size, p, q, vectors)
  }
  return { values: Float64Array.from({ length: size }, (_, k) => matrix[k * size + k]), vectors }
}

function largestBeside(matrix: Float64Array, size: number): number {
  let largest = 0
  for (let p = 0; p < size; p++)
    for (let q = p + 1; q < size; q++) largest = Math.max(largest, Math.abs(matrix[p * size + q]))
  return largest
}

/** Rotates rows and columns p and q so that the entry between them becomes 0. */
function annihilate(matrix: Float64Array, size: number, p: number, q: number, vectors: readonly Float64Array[]): void {
  const between = matrix[p * size + q]
  if (Math.abs(between) <= small) return
  const ratio = (matrix[q * size + q] - matrix[p * size + p]) / (2 * between)
  const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  rotate(matrix, p, q, size, size, cosine, sine)
  rotate(matrix, p * size, q * size, 1, size, cosine, sine)
  const [x, y] = [vectors[p], vectors[q]]
  for (let k = 0; k < size; k++) {
    const own = x[k]
    x[k] = cosine * own - sine * y[k]
    y[k] = sine * own + cosine * y[k]
  }
}

/** Rotates `count` numbers from i on against those from j on, `stride` places apart. */
function rotate(
  all: Float64Array,
  i: number,
  j: number,
  stride: number,
  count: number,
  cosine: number,
  sine: number
): void {
  for (let k = 0; k < count; k++, i += stride, j += stride) {
    const own = all[i]
    all[i] = cosine * own - sine * all[j]
    all[j] = sine * own + cosine * all[j]
  }
}
