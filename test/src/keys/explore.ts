/**
 * `node test/dist/keys/explore.js FIRST COUNT [SERVER] [libp2p]`: runs the histories of these seeds, in the simulator
 * or on real peers, and prints the first that breaks what the server promises. SERVER is moving (when absent), stale or
 * intended. Only in the simulator does a seed repeat the same history.
 */
import { history, intended, onLibp2p, type ServerKind, stale } from './histories.js'

const servers: Readonly<Record<string, (seed: number) => ServerKind | undefined>> = {
  moving: () => undefined,
  stale,
  intended
}
const [first, count] = process.argv.slice(2, 4).map(Number)
const words = process.argv.slice(4)
const isReal = words.at(-1) === 'libp2p'
const [server = 'moving', ...rest] = isReal ? words.slice(0, -1) : words
if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1 || !(server in servers) || rest.length > 0) {
  const expected = `FIRST COUNT [${Object.keys(servers).join(' | ')}] [libp2p]`
  process.stderr.write(`expected: node test/dist/keys/explore.js ${expected}, such as 1 10000\n`)
  process.exit(2)
}
const totals = { operations: 0, moved: 0, queued: 0, copied: 0 }
for (let seed = first; seed < first + count; seed++) {
  const { problem, operations, moved, queued, copied } = await history(
    seed,
    servers[server](seed),
    isReal ? onLibp2p : undefined
  )
  if (problem !== undefined) {
    process.stderr.write(
      `seed ${seed}: ${problem}\nto replay: node test/dist/keys/explore.js ${[seed, 1, ...words].join(' ')}\n`
    )
    process.exit(1)
  }
  totals.operations += operations
  totals.moved += moved
  totals.queued += queued
  totals.copied += copied
}
process.stdout.write(
  `${count} histories, ${totals.operations} reads and adds, ${totals.moved} rows moved, ${totals.copied} copied, ${totals.queued} keys queued: all as promised\n`
)
