import { createRandom } from '@murmuration/random'
import test from 'ava'
import { gainOf, PackingProgram } from './packing-program.js'
import { isNear } from './trees.test.support.js'

test('the prices prove that no packing is better: nothing gains at them, and all lines are worth what is packed', (t) => {
  for (let seed = 0; seed < 100; seed++) {
    const random = createRandom(seed, 'columns')
    const rates = Array.from({ length: 1 + random.integer(12) }, () => 1 + random.integer(20))
    const columns = Array.from({ length: 1 + random.integer(30) }, () => {
      const lines = random.shuffle([...rates.keys()]).slice(0, 1 + random.integer(rates.length))
      const loads = lines.map(() => 1 + random.integer(3))
      return { lines: Int32Array.from(lines), loads: Float64Array.from(loads), worth: 1 }
    })
    const program = new PackingProgram(rates)
    for (const column of columns.slice(0, 5)) program.add(column)
    program.solve(Infinity)
    for (const column of columns.slice(5)) program.add(column)
    program.solve(Infinity)
    const prices = program.prices()
    t.true(
      prices.every((price) => price > -1e-9),
      `seed ${seed}`
    )
    t.true(
      columns.every((column) => gainOf(column, prices) < 1e-9),
      `seed ${seed}`
    )
    const packed = program.packed()
    const worth = packed.reduce((sum, { amount }) => sum + amount, 0)
    t.true(
      isNear(
        worth,
        rates.reduce((sum, rate, line) => sum + rate * prices[line], 0)
      ),
      `seed ${seed}`
    )
    const loadOf = (line: number) =>
      packed.reduce((sum, { column, amount }) => sum + amount * (column.loads[column.lines.indexOf(line)] ?? 0), 0)
    t.true(
      rates.every((rate, line) => loadOf(line) <= rate * (1 + 1e-9)),
      `seed ${seed}`
    )
  }
})
