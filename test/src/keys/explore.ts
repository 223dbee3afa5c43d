/** `node test/dist/keys/explore.js FIRST COUNT`: plays the histories of so many seeds, and prints the first that is not consistent. */
import { history } from './histories.js'

const [first, count] = process.argv.slice(2).map(Number)
if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1) {
  process.stderr.write('expected: node test/dist/keys/explore.js FIRST COUNT, such as 1 10000\n')
  process.exit(2)
}
const totals = { operations: 0, moved: 0, queued: 0 }
for (let seed = first; seed < first + count; seed++) {
  const { problem, operations, moved, queued } = await history(seed)
  if (problem !== undefined) {
    process.stderr.write(`seed ${seed}: ${problem}\nto replay: node test/dist/keys/explore.js ${seed} 1\n`)
    process.exit(1)
  }
  totals.operations += operations
  totals.moved += moved
  totals.queued += queued
}
process.stdout.write(
  `${count} histories, ${totals.operations} reads and adds, ${totals.moved} rows moved, ${totals.queued} keys queued: all consistent\n`
)
