/** The algorithms against published step counts. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'ava'
import { root } from './repository.js'

interface Row {
  readonly row: string
  readonly published: number
  readonly ours: number
  readonly isWithin: boolean
}

const table = `${root}../shared/reference/random_quadratics.csv`
const hasTable = existsSync(table)
const titled = hasTable ? test : test.skip

/** Small rows of the table, for every algorithm in it, with so few steps that all ten draws are fast. */
const rows = [
  'D2,ring,6,1,',
  'Gradient tracking,ring,6,1,',
  'RelaySum/Model,chain,6,1,',
  'RelaySum/Grad,tree,6,0,',
  'SGP,exponential,4,1,'
]

titled(
  `random quadratics take the published steps, in the median within 10 % or the quartiles (Vogels 2021)${hasTable ? '' : ' (skipped: ../shared is not here)'}`,
  (t) => {
    const bench = `${root}packages/experiment/bench/random-quadratics.mjs`
    const args = [bench, table, '--rows', rows.join(';'), '--seeds', '4', '--json']
    const found = JSON.parse(execFileSync(process.execPath, args).toString()) as readonly Row[]
    t.is(found.length, rows.length)
    for (const { row, published, ours, isWithin } of found) t.true(isWithin, `${row}: ${ours}, published ${published}`)
  }
)
