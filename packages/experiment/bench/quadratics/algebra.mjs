// Small dense matrices by rows, in float64.

/** Eigenvectors of AᵀA, those of the largest eigenvalues first: Jacobi's rotations of A's columns, one-sided (Hestenes 1958). */
export function rightSingularVectors(matrix, size) {
  const columns = Array.from({ length: size }, (_, j) => Array.from({ length: size }, (_, i) => matrix[i * size + j]))
  const vectors = Array.from({ length: size }, (_, j) => Array.from({ length: size }, (_, i) => Number(i === j)))
  const inner = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0)
  const rotate = (list, p, q, cosine, sine) => {
    for (let i = 0; i < size; i++) {
      const [x, y] = [list[p][i], list[q][i]]
      list[p][i] = cosine * x - sine * y
      list[q][i] = sine * x + cosine * y
    }
  }
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const mixed = inner(columns[p], columns[q])
        if (mixed === 0) continue
        const zeta = (inner(columns[q], columns[q]) - inner(columns[p], columns[p])) / (2 * mixed)
        const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta))
        const cosine = 1 / Math.hypot(1, tangent)
        rotate(columns, p, q, cosine, cosine * tangent)
        rotate(vectors, p, q, cosine, cosine * tangent)
      }
    }
  }
  const order = columns.map((column, j) => [inner(column, column), j]).sort(([a], [b]) => b - a)
  return order.map(([, j]) => vectors[j])
}

/** V diag(values) Vᵀ. */
export function symmetric(vectors, values) {
  const size = vectors.length
  const out = new Float64Array(size * size)
  vectors.forEach((vector, k) => {
    for (let i = 0; i < size * size; i++) out[i] += values[k] * vector[Math.floor(i / size)] * vector[i % size]
  })
  return out
}

/** The matrix times the vector. */
export function times(matrix, x) {
  return Float64Array.from(x, (_, i) => x.reduce((sum, value, j) => sum + matrix[i * x.length + j] * value, 0))
}

/** The x with `matrix · x = y`, by elimination without pivots: the matrix is positive definite. */
export function solve(matrix, y) {
  const rows = Array.from(y, (value, i) => [...matrix.subarray(i * y.length, (i + 1) * y.length), value])
  for (let pivot = 0; pivot < y.length; pivot++) {
    const by = rows[pivot][pivot]
    rows[pivot] = rows[pivot].map((value) => value / by)
    rows.forEach((row, i) => {
      if (i !== pivot) rows[i] = row.map((value, k) => value - row[pivot] * rows[pivot][k])
    })
  }
  return Float64Array.from(rows, (row) => row[y.length])
}
