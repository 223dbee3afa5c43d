import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { softmaxTaskModule } from './modules.js'
import { createTask } from './softmax-task.js'
import { startTaskWorker } from './task-worker.js'

const localData = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a', 'b'], seed: 1 } as const

async function dataWith(rows: readonly string[]) {
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'data.csv')
  await writeFile(path, `x,y,label\n${rows.join('\n')}\n`)
  return { kind: 'files', path } as const
}

const rows = Array.from({ length: 50 }, (_, k) => `${k},${k % 7},${k % 2}`)

test('the checksum of the data is the same for all peers, wherever the data lie, and another when one number differs', async (t) => {
  const of = async (given: readonly string[], self: string) =>
    (await createTask({ localData: { ...localData, data: await dataWith(given), self } })).fingerprints?.data
  const first = await of(rows, 'a')
  const second = await of(rows, 'b')
  t.regex(first ?? '', /^[0-9a-f]{64}$/)
  t.is(first, second)
  for (let row = 0; row < rows.length; row++) {
    t.not(await of(rows.with(row, `${row},${(row % 7) + 1},${row % 2}`), 'a'), first, `row ${row}`)
  }
  t.not(await of(rows.with(3, '3,3,0'), 'a'), first, 'another label')
  t.not(await of(rows.slice(1), 'a'), first, 'one row less')
})

test('drawn data have no checksum: their settings say it all', async (t) => {
  const task = await createTask({ localData: { ...localData, data: { kind: 'gaussians', samples: 50 }, self: 'a' } })
  t.deepEqual(task.fingerprints, {})
})

test('a task in a thread of its own has the checksums of the task', async (t) => {
  const task = await startTaskWorker({
    module: softmaxTaskModule,
    options: { localData: { ...localData, data: await dataWith(rows), self: 'a' } }
  })
  t.regex(task.fingerprints?.data ?? '', /^[0-9a-f]{64}$/)
  await task.close()
})
