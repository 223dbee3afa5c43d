import test from 'ava'
import fc from 'fast-check'
import { applyMixing, sparseMatrix, transpose } from './sparse.js'

const value = fc.oneof(fc.constant(0), fc.double({ min: -2, max: 2, noNaN: true }))
const square = fc
  .integer({ min: 1, max: 8 })
  .chain((size) =>
    fc.array(fc.array(value, { minLength: size, maxLength: size }), { minLength: size, maxLength: size })
  )
const sparse = (rows: readonly (readonly number[])[]) =>
  sparseMatrix(rows.map((row) => row.map((entry, column) => ({ column, value: entry }))))

test('a product with a sparse matrix is the product with the dense one', (t) => {
  fc.assert(
    fc.property(square, (rows) => {
      const x = Float64Array.from(rows, (_, k) => k - 1.5)
      const dense = rows.map((row) => row.reduce((sum, entry, k) => sum + entry * x[k], 0))
      t.deepEqual([...applyMixing(sparse(rows), x)], dense)
    })
  )
})

test('the transpose has rows and columns exchanged, in ascending order, and no zeros', (t) => {
  fc.assert(
    fc.property(square, (rows) => {
      t.deepEqual(transpose(sparse(rows)), sparse(rows.map((row, k) => row.map((_, j) => rows[j][k]))))
    })
  )
  t.deepEqual(
    [
      ...sparse([
        [0, 1, 0],
        [2, 0, 3],
        [0, 0, 0]
      ]).columns
    ],
    [1, 0, 2]
  )
})
