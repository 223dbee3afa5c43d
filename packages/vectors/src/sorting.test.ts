import test from 'ava'
import fc from 'fast-check'
import { sortElements } from './sorting.js'

test('columns are sorted element by element, and no further than is said', (t) => {
  const rows = fc.array(fc.array(fc.float({ noNaN: true }), { minLength: 5, maxLength: 5 }), {
    minLength: 1,
    maxLength: 9
  })
  fc.assert(
    fc.property(rows, (rows) => {
      const columns = rows.map((row) => Float32Array.from(row))
      sortElements(columns, 4)
      for (let k = 0; k < 4; k++) {
        const sorted = rows.map((row) => row[k]).sort((left, right) => left - right)
        t.true(sorted.every((value, place) => value === columns[place][k]))
      }
      t.true(rows.every((row, place) => row[4] === columns[place][4]))
    })
  )
})
