import { InputError, type Random } from '@murmuration/core'

/**
 * A matrix whose rows, or columns where those are fewer, are orthonormal, times `gain`: normal draws made orthonormal
 * by Gram and Schmidt, in float64.
 */
export function orthogonal(shape: readonly number[], gain: number, random: Random): Float32Array {
  if (shape.length !== 2) throw new InputError(`an orthogonal initialiser makes matrices, not shape [${shape}]`)
  const [rows, columns] = shape
  const basis = orthonormal(Math.min(rows, columns), Math.max(rows, columns), random)
  return Float32Array.from({ length: rows * columns }, (_, index) => {
    const row = Math.floor(index / columns)
    const column = index % columns
    return gain * (rows <= columns ? basis[row][column] : basis[column][row])
  })
}

function orthonormal(count: number, length: number, random: Random): readonly Float64Array[] {
  const basis: Float64Array[] = []
  for (let k = 0; k < count; k++) {
    const vector = Float64Array.from({ length }, () => random.normal())
    // Twice, because of the rounding errors of the first pass.
    for (const other of [...basis, ...basis]) addMultiple(vector, -dot(vector, other), other)
    const norm = Math.sqrt(dot(vector, vector))
    basis.push(vector.map((value) => value / norm))
  }
  return basis
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i]
  return sum
}

function addMultiple(x: Float64Array, factor: number, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i] += factor * y[i]
}
