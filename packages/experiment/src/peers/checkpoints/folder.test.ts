import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import { settingsOf } from '@murmuration/libp2p'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { exampleRun, exampleSaved } from './example.test.support.js'
import { CheckpointFolder, roundsIn } from './folder.js'

const a = peerName('a')
const temporary = () => mkdtemp(join(tmpdir(), 'murmur-checkpoints-'))

/** A folder with the checkpoints of some rounds. */
async function written(...rounds: readonly number[]) {
  const path = await temporary()
  const folder = new CheckpointFolder(path, a, exampleRun)
  await folder.prepare()
  const files: string[] = []
  for (const round of rounds) files.push(await folder.write(round, exampleSaved(round)))
  const damaged: string[] = []
  const whole = () => folder.whole((text) => damaged.push(text))
  return { path, folder, files, whole, damaged }
}

test('what was written is read, and later rounds are removed', async (t) => {
  const { folder, whole } = await written(10, 20, 30)
  t.deepEqual((await whole()).rounds, [30, 20, 10])
  t.deepEqual(await folder.resume(20), exampleSaved(20))
  t.deepEqual((await whole()).rounds, [20, 10])
})

test('a vector may be as long as the parameters, or as the dual variables of the peer', async (t) => {
  const run = { ...exampleRun, schema: [{ name: 'w', shape: [3] }] }
  const path = await temporary()
  const folder = new CheckpointFolder(path, a, run, 5)
  await folder.prepare()
  const saved = { tree: { a: ['a'] }, vectors: new Map([['a', new Float32Array(5).fill(2)]]) } as const
  await folder.write(1, saved)
  t.deepEqual(await folder.resume(1), saved)
  const fewer = new CheckpointFolder(path, a, run, 4)
  await t.throwsAsync(fewer.resume(1), { instanceOf: InputError, message: /tensor "a": found more than 4 numbers/ })
})

test('a checkpoint is for its owner only', async (t) => {
  const { files } = await written(10)
  const { mode } = await stat(files[0])
  t.true(process.platform === 'win32' || (mode & 0o777) === 0o600)
})

test('the newest file that is whole tells who counted no more', async (t) => {
  const { folder, files, whole } = await written(10)
  t.deepEqual((await whole()).gone, [])
  const gone = ['c', 'd'].map(peerName)
  files.push(await folder.write(20, exampleSaved(20), gone), await folder.write(30, exampleSaved(30), []))
  t.deepEqual((await whole()).gone, [])
  await writeFile(files[2], 'damaged')
  t.deepEqual(await whole(), { rounds: [20, 10], gone })
})

test('a checkpoint with a wrong byte, wherever it is, is passed over, and the one before counts', async (t) => {
  const { files, whole, damaged } = await written(10, 20)
  const file = await readFile(files[1])
  const random = createRandom(7, 'bytes')
  const places = [
    0,
    7,
    8,
    40,
    file.byteLength - 1,
    ...Array.from({ length: 40 }, () => random.integer(file.byteLength))
  ]
  for (const place of places) {
    const wrong = Buffer.from(file)
    wrong[place] ^= 1 << random.integer(8)
    await writeFile(files[1], wrong)
    t.deepEqual((await whole()).rounds, [10], `byte ${place}`)
    t.regex(damaged.pop() ?? '', /round-000000020\.safetensors is damaged and ignored: /)
  }
})

test('a checkpoint that is cut off anywhere is passed over', async (t) => {
  const { files, whole, damaged } = await written(10, 20)
  const file = await readFile(files[1])
  for (const length of [0, 5, 8, 100, file.byteLength - 4, file.byteLength - 1]) {
    await writeFile(files[1], file.subarray(0, length))
    t.deepEqual((await whole()).rounds, [10], `${length} bytes`)
  }
  t.is(damaged.length, 6)
})

test('a checkpoint under the name of another round is passed over', async (t) => {
  const { files, folder, whole, damaged } = await written(10)
  await writeFile(join(folder.path, 'round-000000011.safetensors'), await readFile(files[0]))
  t.deepEqual((await whole()).rounds, [10])
  t.regex(damaged[0], /found round 10 in the file/)
})

test('a checkpoint of other settings, another model or another peer is refused with what differs', async (t) => {
  const { path, files } = await written(10)
  const other = (run: Partial<typeof exampleRun>) =>
    new CheckpointFolder(path, a, { ...exampleRun, ...run }).whole(() => t.fail())
  const refused = { instanceOf: InputError }
  const settings = settingsOf({ batch: 17, rate: { initial: 0.1 } })
  await t.throwsAsync(other({ settings }), { ...refused, message: /batch is 17 here and 16 there/ })
  const schema = [{ name: 'w', shape: [7] }]
  await t.throwsAsync(other({ schema }), { ...refused, message: /tensor 1 is "w" \[7\] here and "w" \[500000\] there/ })
  await t.throwsAsync(other({ start: 'bb' }), { ...refused, message: /start parameters/ })
  const b = new CheckpointFolder(path, peerName('b'), exampleRun)
  await b.prepare()
  await writeFile(join(b.path, 'round-000000010.safetensors'), await readFile(files[0]))
  await t.throwsAsync(
    b.whole(() => t.fail()),
    { ...refused, message: /is a checkpoint of "a", not of "b"/ }
  )
})

test('files that no peer needs are removed, those of a slow one stay', async (t) => {
  const { folder } = await written(10, 20, 30, 40)
  await folder.prune([20, 40])
  t.deepEqual(await roundsIn(folder.path), [40, 30, 20])
  await folder.prune([40, 40])
  t.deepEqual(await roundsIn(folder.path), [40, 30])
})
