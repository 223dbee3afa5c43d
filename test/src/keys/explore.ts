/**
 * `node test/dist/keys/explore.js FIRST COUNT [libp2p]`: plays the histories of so many seeds, in the simulator or on real peers, and prints the first that is
 * not consistent. That of a seed is the same again in the simulator alone.
 */
import { history, onLibp2p } from './histories.js'

const [first, count] = process.argv.slice(2, 4).map(Number)
const [world, ...rest] = process.argv.slice(4)
const isRight = Number.isInteger(first) && Number.isInteger(count) && count > 0
if (!isRight || (world !== undefined && world !== 'libp2p') || rest.length > 0) {
  process.stderr.write('expected: node test/dist/keys/explore.js FIRST COUNT [libp2p], such as 1 10000\n')
  process.exit(2)
}
const totals = { operations: 0, moved: 0, queued: 0 }
for (let seed = first; seed < first + count; seed++) {
  const { problem, operations, moved, queued } = await history(
    seed,
    undefined,
    world === undefined ? undefined : onLibp2p
  )
  if (problem !== undefined) {
    process.stderr.write(
      `seed ${seed}: ${problem}\nto replay: node test/dist/keys/explore.js ${seed} 1${world === undefined ? '' : ' libp2p'}\n`
    )
    process.exit(1)
  }
  totals.operations += operations
  totals.moved += moved
  totals.queued += queued
}
process.stdout.write(
  `${count} histories, ${totals.operations} reads and adds, ${totals.moved} rows moved, ${totals.queued} keys queued: all consistent\n`
)
