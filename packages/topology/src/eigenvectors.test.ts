import test from 'ava'
import { createRandom } from '@murmuration/random'
import fc from 'fast-check'
import { eigenvectorsOf } from './eigenvectors.js'

/** Rows of a symmetric matrix; with few different elements, eigenvalues are repeated and blocks fall apart. */
function symmetric(size: number, seed: number, element: (random: number) => number): Float64Array[] {
  const random = createRandom(seed, 'matrix')
  const rows = Array.from({ length: size }, () => new Float64Array(size))
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) rows[i][j] = rows[j][i] = element(random.normal())
  return rows
}

test('a matrix times each eigenvector is the eigenvalue times it, and eigenvectors are orthogonal', (t) => {
  const elements = [(x: number) => x, (x: number) => Math.round(x / 2), (x: number) => x * 1e-9, () => 1, () => 0]
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 24 }), fc.integer(), fc.constantFrom(...elements), (size, seed, element) => {
      const matrix = symmetric(size, seed, element)
      const scale = Math.max(0, ...matrix.flatMap((row) => [...row].map(Math.abs))) * size
      const { values, vectors } = eigenvectorsOf(matrix.map((row) => row.slice()))
      t.is(vectors.length, size)
      for (const [k, vector] of vectors.entries()) {
        for (const [i, row] of matrix.entries())
          t.true(Math.abs(product(row, vector) - values[k] * vector[i]) <= 1e-13 * scale)
        for (const [other, each] of vectors.entries())
          t.true(Math.abs(product(vector, each) - (k === other ? 1 : 0)) < 1e-13)
      }
    })
  )
})

test('the eigenvalues of a path are 2 cos(π k / (n + 1))', (t) => {
  const size = 64
  const beside = (i: number, j: number) => (Math.abs(i - j) === 1 ? 1 : 0)
  const rows = Array.from({ length: size }, (_, i) => Float64Array.from({ length: size }, (_, j) => beside(i, j)))
  const values = [...eigenvectorsOf(rows).values].sort((a, b) => b - a)
  for (const [k, value] of values.entries())
    t.true(Math.abs(value - 2 * Math.cos((Math.PI * (k + 1)) / (size + 1))) < 1e-13)
})

function product(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0)
}
