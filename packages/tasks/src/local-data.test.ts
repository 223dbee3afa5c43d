import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { describeLocalData, loadLocalData, type LocalDataOptions } from '@murmuration/data'
import { gradientWeight } from './sample-weights.js'

const testSet = 'x,label\n7,no\n8,yes\n9,so'

async function given(t: ExecutionContext, own: string, common = testSet): Promise<LocalDataOptions> {
  const path = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(path, { recursive: true }))
  await writeFile(join(path, 'own.csv'), own)
  await writeFile(join(path, 'test.csv'), common)
  const sha256 = { 'test.csv': createHash('sha256').update(common).digest('hex') }
  return {
    data: { kind: 'files', path: join(path, 'own.csv') },
    test: { path: join(path, 'test.csv'), sha256 },
    testFraction: 0,
    partition: { kind: 'local' },
    peers: ['a', 'b', 'c', 'd'],
    self: 'b',
    seed: 1
  }
}

test('local data are all used for training, and the test set is the common one', async (t) => {
  const options = await given(t, 'x,label\n1,yes\n2,yes\n3,no')
  const localData = await loadLocalData(options)
  t.deepEqual([...localData.train.inputs], [1, 2, 3])
  t.deepEqual([...localData.test.inputs], [7, 8, 9])
  t.is(describeLocalData(localData, options).data, "3 rows of 1 number, all this peer's own, 3 to test in common")
})

test('the test set says which classes there are, so that peers with other classes agree', async (t) => {
  const all = await Promise.all(
    ['x,label\n1,yes', 'x,label\n1,no\n2,so'].map(async (own) => loadLocalData(await given(t, own)))
  )
  t.deepEqual(
    all.map(({ train }) => [train.classes, ...train.targets]),
    [
      [3, 2],
      [3, 0, 1]
    ]
  )
  const numbered = await loadLocalData(await given(t, '1,0\n2,0', '7,0\n8,3'))
  t.is(numbered.train.classes, 4)
})

test('with a test set of its own, other partitions divide all samples', async (t) => {
  const options = await given(t, 'x,label\n1,yes\n2,yes\n3,no\n4,so')
  const localData = await loadLocalData({ ...options, partition: { kind: 'equal' } })
  t.deepEqual(localData.shardSizes, [1, 1, 1, 1])
  t.deepEqual([...localData.test.inputs], [7, 8, 9])
})

const wrong: readonly (readonly [string, string, string, (options: LocalDataOptions) => LocalDataOptions, RegExp])[] = [
  [
    'no test set in common',
    '1,0',
    '1,0',
    ({ test: _, ...rest }) => ({ ...rest, testFraction: 0.2 }),
    /needs a test set that all peers share/
  ],
  ['the union of local data', '1,0', '1,0', ({ self: _, ...rest }) => rest, /no machine has the data of all peers/],
  [
    'a class that the test set lacks',
    '1,0\n2,5',
    '1,0\n2,1',
    (options) => options,
    /class 5, .* only the classes 0 to 1/
  ],
  ['inputs of another shape', '1,1,0', '1,0\n2,1', (options) => options, /shape \[2\], those of the test set \[1\]/],
  [
    'another test set',
    '1,0',
    '1,0',
    ({ test: common, ...rest }) => ({
      ...rest,
      test: { path: common?.path ?? '', sha256: { 'test.csv': '0'.repeat(64) } }
    }),
    /test\.csv has the SHA-256 [0-9a-f]{64}, expected 0+/
  ],
  [
    'a test set without a checksum',
    '1,0',
    '1,0',
    ({ test: common, ...rest }) => ({ ...rest, test: { path: common?.path ?? '', sha256: {} } }),
    /found no SHA-256 of .*test\.csv.* write sha256: [0-9a-f]{64}$/
  ]
]

for (const [what, own, common, change, message] of wrong) {
  test(`${what} is refused`, async (t) => {
    await t.throwsAsync(loadLocalData(change(await given(t, own, common))), { instanceOf: InputError, message })
  })
}

test('the weights of the gradients have the mean 1, and are as the counts', (t) => {
  const counts = new Map(
    [peerName('a'), peerName('b'), peerName('c')].map((name, place) => [name, [10, 30, 80][place]])
  )
  const weights = [...counts.keys()].map((name) => gradientWeight(counts, name))
  t.deepEqual(weights, [0.25, 0.75, 2])
})
