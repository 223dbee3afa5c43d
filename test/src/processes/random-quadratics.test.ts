/** The algorithms against published step counts. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'ava'
import { root } from '../repository.js'

interface Row {
  readonly row: string
  readonly published: number
  readonly ours: number
  readonly seeds: number
  readonly same: number
}

const table = `${root}../shared/reference/random_quadratics.csv`
const hasTable = existsSync(table)
const titled = hasTable ? test : test.skip

/** Small rows of the table, for every algorithm in it; two of them count until the loss has settled. */
const rows = [
  'D2,ring,6,1,',
  'All-reduce,tree,6,1,',
  'Gradient tracking,ring,6,1,',
  'RelaySum/Model,chain,6,1,',
  'RelaySum/Grad,tree,6,0,',
  'RelaySum/Grad,tree,8,0.01,',
  'Gossip,ring,4,0.01,',
  'SGP,exponential,4,1,'
]

titled(
  `random quadratics take the published steps, each for each (Vogels 2021)${hasTable ? '' : ' (skipped: ../shared is not here)'}`,
  (t) => {
    const bench = `${root}studies/random-quadratics.mjs`
    const args = [bench, table, '--rows', rows.join(';'), '--seeds', '4', '--json']
    const found = JSON.parse(execFileSync(process.execPath, args).toString()) as readonly Row[]
    t.is(found.length, rows.length)
    for (const { row, published, ours, seeds, same } of found)
      t.is(same, seeds, `${row}: the median is ${ours}, published ${published}`)
  }
)
