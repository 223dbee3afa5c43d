import test from 'ava'
import { packRows, unpackRows } from './saved-rows.js'

const space = { count: 2 ** 24 + 3, width: 2 }
const given = {
  round: 3,
  samples: 40,
  keys: Uint32Array.of(0, 7, 2 ** 24 + 1),
  rows: Float32Array.of(1, 2, 3, 4, 5, -0)
}

test('rows are read as they were saved, with keys that are no numbers of float32', (t) => {
  t.deepEqual(unpackRows(packRows(given), space, 3), given)
})

test('what is no set of rows of the run is refused', (t) => {
  const { keys, rows } = given
  const problems = [
    [{ keys: Uint32Array.of(0, 7, 7) }, /ascending ones below 16777219/],
    [{ keys: Uint32Array.of(0, 7, space.count) }, /ascending ones below 16777219/],
    [{ keys: keys.slice(1) }, /found 6 numbers in the rows, expected 4/],
    [{ rows: rows.map(() => Number.NaN) }, /found NaN/],
    [{ round: 4 }, /found no rows of keys before a round up to 3/],
    [{ samples: -1 }, /found no rows of keys/]
  ] as const
  for (const [change, message] of problems)
    t.throws(() => unpackRows(packRows({ ...given, ...change }), space, 3), { message })
  const { tree, vectors } = packRows(given)
  t.throws(() => unpackRows({ tree, vectors: new Map([...vectors].slice(1)) }, space, 3), { message: /found no rows/ })
  t.throws(() => unpackRows({ tree: ['keys'], vectors }, space, 3), { message: /found no rows/ })
})
