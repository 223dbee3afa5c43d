/** The simulator against transfers that were measured between real machines. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { root } from './repository.js'

interface Row {
  readonly op: 'allreduce' | 'p2p' | 'broadcast'
  readonly n: number
  readonly error: number
}

const table = `${root}../shared/reference/shaped_transfers.csv`
const hasTable = existsSync(table)

/** How far off a prediction may be. */
const allowed = { allreduce: 0.03, p2p: 0.02, broadcast: 0.15 }

function check(t: ExecutionContext, files: readonly string[], least: number): void {
  const output = execFileSync(process.execPath, [`${root}packages/cli/bench/shaped-transfers.mjs`, '--json', ...files])
  const rows = output
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  t.true(rows.length >= least)
  for (const { op, n, error } of rows) t.true(Math.abs(error) <= allowed[op], `${op} of ${n}: ${error}`)
}

test('a ring all-reduce is predicted within 3 %, a transfer within 2 %, a broadcast within 15 %', (t) =>
  check(t, [], 4))

const titled = hasTable ? test : test.skip
titled(
  `the same for the whole table of published transfers${hasTable ? '' : ' (skipped: ../shared is not here)'}`,
  (t) => check(t, [table], 20)
)
