import { createHash } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { describeLocalData } from './about.js'
import { inputsIn } from './inputs.js'
import { loadLocalData } from './local-data.js'
import type { LocalData, LocalDataOptions } from './samples.js'
import { signatureOf } from './signature.js'

/** A table of times in milliseconds, a constant, a small number, and one of two classes. */
async function tableOf(name: string, rows: number, first: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, k) => `${first + 1e9 * k},1e12,${(k * 3) % 7},${k % 2}`)
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-scale-')), name)
  await writeFile(path, `when,same,size,label\n${lines.join('\n')}\n`)
  return path
}

const options = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a', 'b'], seed: 1 } as const

async function scaledOf(path: string, others: Partial<LocalDataOptions> = {}): Promise<LocalData> {
  return loadLocalData({ ...options, data: { kind: 'files', path }, scale: 'standard', ...others })
}

function columnsOf({ inputs }: LocalData['train']): readonly (readonly number[])[] {
  return [0, 1, 2].map((column) => [...inputs].filter((_, at) => at % 3 === column))
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function scaleIn({ train: { preprocessing } }: LocalData) {
  return preprocessing?.kind === 'numbers' ? preprocessing.scale : undefined
}

test('standard gives each column of the training samples mean 0 and deviation 1, a constant one 0, for all peers alike', async (t) => {
  const path = await tableOf('times.csv', 50, 1.7e12)
  const [all, a, b] = await Promise.all([undefined, 'a', 'b'].map((self) => scaledOf(path, self ? { self } : {})))
  const [when, same, size] = columnsOf(all.train)
  for (const column of [when, size]) {
    t.true(Math.abs(meanOf(column)) < 1e-6)
    t.true(Math.abs(meanOf(column.map((value) => value ** 2)) - 1) < 1e-5)
  }
  t.deepEqual([...new Set(same)], [0])
  t.deepEqual(scaleIn(a), scaleIn(b))
  t.deepEqual([...a.train.inputs, ...b.train.inputs], [...all.train.inputs])
  t.true(all.test.inputs.every((value) => Math.abs(value) < 4))
})

test('with local data the scale is that of the common test set', async (t) => {
  const path = await tableOf('test.csv', 20, 1.7e12)
  const own = await Promise.all([1e12, 3e12].map((first) => tableOf('own.csv', 30, first)))
  const sha256 = {
    'test.csv': createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  }
  const local = { partition: { kind: 'local' }, test: { path, sha256 }, testFraction: 0 } as const
  const [a, b] = await Promise.all(own.map((each, k) => scaledOf(each, { ...local, self: options.peers[k] })))
  t.deepEqual(scaleIn(a), scaleIn(b))
  t.true(Math.abs(meanOf(columnsOf(a.test)[0])) < 1e-6)
  t.true(meanOf(columnsOf(a.train)[0]) < -1 && meanOf(columnsOf(b.train)[0]) > 1)
})

test('later inputs are scaled with the numbers of the training', async (t) => {
  const path = await tableOf('times.csv', 50, 1.7e12)
  const localData = await scaledOf(path)
  const inputs = await inputsIn(path, signatureOf(localData.train))
  const rows = ({ inputs: all }: LocalData['train']) => new Set([...all].map((_, at) => all.slice(3 * at, 3 * at + 3).join())) // oxfmt-ignore
  const known = new Set([...rows(localData.train), ...rows(localData.test)])
  for (const { values } of inputs) t.true(known.has(values.join()))
})

test('large values are named, until they are scaled; so is a large target', async (t) => {
  const path = await tableOf('times.csv', 50, 1.7e12)
  const data = { kind: 'files', path } as const
  const aboutOf = async (others: Partial<LocalDataOptions>) =>
    describeLocalData(await loadLocalData({ ...options, data, ...others }), { ...options, data })
  const advice =
    'column "when" has values from 1700000000000 to 1750000000000, and 1 more beyond ±100; write data: { path: …, scale: standard }'
  const plain = await aboutOf({})
  t.is(plain.unscaled, advice)
  t.true(plain.data.includes(advice))
  const scaled = await aboutOf({ scale: 'standard' })
  t.is(scaled.unscaled, undefined)
  t.regex(scaled.data, /rows of 3 numbers, scaled/)
  const target = await aboutOf({ scale: 'standard', targets: 'numbers', data: { ...data, target: 'when' } })
  t.is(
    target.unscaled,
    'the target, column "when" has values from 1700000000000 to 1750000000000; give it in larger units'
  )
})

test('only tables are scaled', async (t) => {
  await t.throwsAsync(loadLocalData({ ...options, data: { kind: 'digits', samples: 20 }, scale: 'standard' }), {
    instanceOf: InputError,
    message: 'data.scale: found a scale, but the data are no table, expected none; omit scale'
  })
})
