import test from 'ava'
import { createRandom, direction } from '@murmuration/random'
import { inner, orthonormal, plus, solve, symmetric, times } from './matrices.js'

test('orthonormal vectors are orthonormal', (t) => {
  const basis = orthonormal(12, createRandom(1))
  for (const [i, left] of basis.entries()) {
    for (const [j, right] of basis.entries()) t.true(Math.abs(inner(left, right) - (i === j ? 1 : 0)) < 1e-14)
  }
})

test('a symmetric matrix stretches its eigenvectors by its eigenvalues', (t) => {
  const vectors = orthonormal(4, createRandom(2))
  const values = [1, 2, 3, 4]
  const matrix = symmetric(vectors, values)
  for (const [k, vector] of vectors.entries()) {
    const error = plus(times(matrix, vector), -values[k], vector)
    t.true(inner(error, error) < 1e-28)
  }
})

test('what is solved for is found', (t) => {
  const random = createRandom(3)
  const matrix = symmetric(orthonormal(8, random), [0.1, 0.5, 1, 2, 3, 4, 5, 10])
  const x = direction(8, random)
  const error = plus(solve(matrix, times(matrix, x)), -1, x)
  t.true(inner(error, error) < 1e-24)
})
