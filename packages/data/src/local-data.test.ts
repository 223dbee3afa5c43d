import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { describeLocalData } from './about.js'
import type { Samples, LocalDataOptions } from './samples.js'
import { loadLocalData } from './local-data.js'

const options: LocalDataOptions = {
  data: { kind: 'digits', samples: 200 },
  testFraction: 0.2,
  partition: { kind: 'dirichlet', alpha: 0.5 },
  peers: ['a', 'b', 'c'],
  seed: 1
}

/** Each sample as a text; no two drawn images are equal. */
function keys({ count, inputs, targets }: Samples): string[] {
  const size = inputs.length / count
  return Array.from({ length: count }, (_, k) => `${targets[k]} ${inputs.subarray(k * size, (k + 1) * size).join()}`)
}

test('the local data of all peers, one after the other, are the union, and nothing of the test set is among them', async (t) => {
  const union = await loadLocalData(options)
  const all = await Promise.all(options.peers.map((self) => loadLocalData({ ...options, self })))
  t.deepEqual(
    all.flatMap(({ train }) => keys(train)),
    keys(union.train)
  )
  t.deepEqual(
    all.map(({ train }) => train.count),
    [...union.shardSizes]
  )
  t.is(union.test.count, 40)
  t.is(new Set([...keys(union.train), ...keys(union.test)]).size, 200)
  for (const localData of all) t.deepEqual(keys(localData.test), keys(union.test))
})

test('another seed splits the samples in another way', async (t) => {
  const [first, second] = await Promise.all([1, 2].map((seed) => loadLocalData({ ...options, seed })))
  t.notDeepEqual(first.test.targets, second.test.targets)
})

test('as many samples are drawn as are asked for each peer, whatever the test set takes', async (t) => {
  for (const testFraction of [0.01, 0.2, 0.5, 0.9]) {
    for (const samplesPerPeer of [1, 7]) {
      const data = { kind: 'gaussians', features: 1, samplesPerPeer } as const
      const localData = await loadLocalData({ ...options, data, testFraction, partition: { kind: 'equal' } })
      t.deepEqual(localData.shardSizes, [samplesPerPeer, samplesPerPeer, samplesPerPeer])
      t.true(localData.test.count >= 1)
      t.true(Math.abs(localData.test.count - testFraction * (localData.test.count + localData.train.count)) <= 1)
    }
  }
})

test('without a number, the normal classes have the shape of a well-known data set: 4,601 samples of 57', async (t) => {
  const { train, test } = await loadLocalData({ ...options, data: { kind: 'gaussians' } })
  t.is(train.count + test.count, 4601)
  t.deepEqual(train.inputShape, [57])
})

test('what local data are can be read', async (t) => {
  const large: LocalDataOptions = { ...options, data: { kind: 'digits', samples: 1250 }, partition: { kind: 'equal' } }
  t.deepEqual(
    describeLocalData(await loadLocalData({ ...large, self: 'a', peers: ['a'] }), {
      ...large,
      self: 'a',
      peers: ['a']
    }),
    {
      data: '1,000 handwritten-like digits 28 × 28, 1,000 for this peer, 250 to test',
      partition: 'shuffled equal parts for 1 peer, 1,000 samples each'
    }
  )
  const small: LocalDataOptions = { ...options, data: { kind: 'digits', samples: 20, size: 8 } }
  t.is(describeLocalData(await loadLocalData(small), small).data, '16 handwritten-like digits 8 × 8, 4 to test')
})

const wrong: readonly (readonly [Partial<LocalDataOptions>, RegExp])[] = [
  [{ data: { kind: 'digits', samples: 1.5 } }, /data\.samples is 1\.5/],
  [{ data: { kind: 'digits' } }, /data\.samples is undefined, expected a whole number of at least 2/],
  [{ data: { kind: 'digits', samples: 20, size: 29 } }, /data\.size is 29, expected a whole number from 1 to 28/],
  [{ data: { kind: 'digits', samples: 20, size: 0 } }, /data\.size is 0/],
  [{ data: { kind: 'gaussians', features: 0 } }, /data\.features is 0, expected a whole number of at least 1/],
  [{ data: { kind: 'gaussians', samplesPerPeer: 0 } }, /data\.samplesPerPeer is 0/],
  [{ data: { kind: 'gaussians', samples: 20, samplesPerPeer: 2 } }, /both samples and samplesPerPeer/],
  [{ testFraction: 1 }, /testFraction is 1/],
  [{ testFraction: Number.NaN }, /testFraction is NaN/],
  [{ peers: [] }, /peers is empty/],
  [{ self: 'd' }, /"d" is not among the peers, which are a, b, c/],
  [{ data: { kind: 'digits', samples: 3 } }, /2 training samples for 3 peers/]
]

for (const [part, message] of wrong) {
  test(`options with ${JSON.stringify(part)} are refused`, async (t) => {
    await t.throwsAsync(loadLocalData({ ...options, ...part }), { instanceOf: InputError, message })
  })
}

test('data with a single sample are refused, as nothing is left to test', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'a.csv'), '1,0')
  const loaded = loadLocalData({ ...options, data: { kind: 'files', path: folder }, peers: ['a'] })
  await t.throwsAsync(loaded, { instanceOf: InputError, message: /one sample, expected at least 2/ })
})

const mnist = fileURLToPath(new URL('../../../../shared/data/mnist', import.meta.url))
const there = existsSync(mnist)
const withMnist = there ? test : test.skip

withMnist(
  `MNIST opens as it was published${there ? '' : ' (skipped: ../shared/data/mnist is not there)'}`,
  async (t) => {
    const localData = await loadLocalData({
      ...options,
      data: { kind: 'files', path: mnist },
      partition: { kind: 'equal' }
    })
    t.is(localData.train.count, 7998)
    t.is(localData.test.count, 2000)
    t.deepEqual(localData.train.inputShape, [28, 28, 1])
    const left = await loadLocalData({ ...options, data: { kind: 'files', path: mnist }, peers: ['a'] })
    const counts = Array.from({ length: 10 }, () => 0)
    for (const target of [...left.train.targets, ...left.test.targets]) counts[target]++
    // From the description of the test set by its authors.
    t.deepEqual(counts, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])
  }
)
