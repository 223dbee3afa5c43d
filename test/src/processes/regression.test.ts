/** Numbers are learned as classes are: from several CSV files, with a built-in model and with a user's own. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRandom } from '@murmuration/random'
import anyTest, { type ExecutionContext } from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial

/** A folder with two CSV files whose target is 2 x − 3 y + 0.5 and noise of variance 0.01. */
async function tables(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'tables'))
  const random = createRandom(1, 'regression')
  for (const name of ['first', 'second']) {
    const rows = Array.from({ length: 200 }, () => {
      const x = random.normal()
      const y = random.normal()
      return `${2 * x - 3 * y + 0.5 + 0.1 * random.normal()},${x},${y}`
    })
    await writeFile(join(folder, 'tables', `${name}.csv`), `target,x,y\n${rows.join('\n')}\n`)
  }
  return folder
}

const common = 'loss: mean-squared-error\ndata: { path: tables }\nrate: { initial: 0.02 }\n'

async function trained(t: ExecutionContext, task: string, rounds: number, ...flags: string[]) {
  const folder = await tables()
  await writeFile(join(folder, 'training.yaml'), `${common}rounds: ${rounds}\ntask: ${task}\n`)
  await writeFile(join(folder, 'linear.js'), linear)
  await writeFile(join(folder, 'pair.yaml'), 'graph: ring\npeers: 2\n')
  const args = ['swarm', join(folder, 'pair.yaml'), '--train', join(folder, 'training.yaml'), ...flags]
  const result = await murmur(args, folder).result
  t.is(result.code, 0, result.stderr)
  return result
}

const linear = `export function createModel(tf, { inputShape, classes, targetShape }) {
  if (classes !== undefined || targetShape.length > 0) throw new Error('one number is to be learned')
  return tf.sequential({ layers: [tf.layers.dense({ inputShape, units: 1 })] })
}
`

test('a linear model of one’s own finds the line through two CSV files, down to the noise', async (t) => {
  const records = recordsOf(await trained(t, '{ module: linear.js }', 150, '--json'))
  const summary = records.at(-1) as Record<string, number>
  for (const loss of [summary.lossOfMean, summary.lossOfWorst, summary.centralisedLoss]) {
    t.true(loss > 0.004 && loss < 0.03, `${loss}`)
  }
  for (const record of records) for (const key of Object.keys(record)) t.notRegex(key, /accuracy/i)
  const { about } = records.find(({ kind }) => kind === 'peer') as { about: Record<string, string> }
  t.regex(about.data, /^320 rows of 2 numbers, 160 for this peer, 80 to test$/)
})

test('a built-in network learns numbers, and nothing that people read speaks of accuracy', async (t) => {
  const { stdout } = await trained(t, '{ kind: mlp, hidden: [16] }', 10)
  t.notRegex(stdout, /accuracy|–/)
  t.regex(stdout, /the mean model +loss \d+\.\d+/)
  t.regex(stdout, /the worst peer +loss \d+\.\d+/)
  t.regex(stdout, /plain SGD on all the data +loss \d+\.\d+ +\(same samples/)
})
