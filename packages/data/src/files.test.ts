import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { readData } from './files/data-file.js'
import { openFiles } from './files.js'

const images = Buffer.from([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 255])
const labels = Buffer.from([0, 0, 8, 1, 0, 0, 0, 1, 7])
const others = Buffer.from([0, 0, 8, 1, 0, 0, 0, 1, 3])
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function folder(t: ExecutionContext, files: Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(path, { recursive: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return path
}

const pair = { 't10k-images-idx3-ubyte.gz': gzipSync(images), 't10k-labels-idx1-ubyte': labels }

test('a folder with only a t10k pair, half of it packed, opens', async (t) => {
  const source = await openFiles({ kind: 'files', path: await folder(t, { ...pair, 'README.md': 'hello' }) })
  t.deepEqual([...source.targets], [7])
  t.deepEqual(source.inputShape, [1, 1, 1])
})

test('train and t10k are put together, and one file finds its partner alone', async (t) => {
  const path = await folder(t, { ...pair, 'train-images-idx3-ubyte': images, 'train-labels-idx1-ubyte': others })
  t.is((await openFiles({ kind: 'files', path })).count, 2)
  t.is((await openFiles({ kind: 'files', path: join(path, 'train-images-idx3-ubyte') })).count, 1)
})

test('images of one class, and a table beside images, are refused', async (t) => {
  const path = await folder(t, { ...pair, 'train-images-idx3-ubyte': images, 'train-labels-idx1-ubyte': labels })
  const refused = (message: RegExp) =>
    t.throwsAsync(openFiles({ kind: 'files', path }), { instanceOf: InputError, message })
  await refused(/all 2 images are of class 7, expected at least two classes/)
  await writeFile(join(path, 'a.csv'), '1,0\n2,1')
  await refused(/a\.csv and .*ubyte(\.gz)?: found a table and images, expected one of them/)
})

test('what is there packed and unpacked is there once; pairs of the same name in two folders are two', async (t) => {
  const rows = '1,0\n2,1\n3,0'
  const path = await folder(t, { 'a.csv': rows, 'a.csv.gz': gzipSync(rows), 'b.csv.gz': gzipSync(rows) })
  t.is((await openFiles({ kind: 'files', path })).count, 6)
  const both = [await folder(t, pair), await folder(t, { ...pair, 't10k-labels-idx1-ubyte': others })]
  t.is((await openFiles({ kind: 'files', path: both })).count, 2)
  const files = ['t10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte'].map((name) => join(both[0], name))
  t.is((await openFiles({ kind: 'files', path: files })).count, 1, 'either file finds the other')
})

test('a CSV file opens by itself, packed, or as the only one of a folder', async (t) => {
  const path = await folder(t, { 'a.csv.gz': gzipSync('1,0\n2,1') })
  t.is((await openFiles({ kind: 'files', path })).count, 2)
  t.is((await openFiles({ kind: 'files', path: join(path, 'a.csv.gz') })).count, 2)
})

test('the CSV files of a folder are put together in the order of their names, and those of a list in its order', async (t) => {
  const path = await folder(t, { 'b.csv': '2,1', 'a.csv': '1,0', 'notes.txt': '' })
  t.deepEqual([...(await openFiles({ kind: 'files', path })).targets], [0, 1])
  const listed = [join(path, 'b.csv'), join(path, 'a.csv')]
  t.deepEqual([...(await openFiles({ kind: 'files', path: listed })).targets], [1, 0])
})

test('a checksum that fits is accepted, another is refused', async (t) => {
  const path = await folder(t, { 'a.csv': '1,0\n2,1' })
  const right = sha256(Buffer.from('1,0\n2,1'))
  await t.notThrowsAsync(openFiles({ kind: 'files', path, sha256: { 'a.csv': right.toUpperCase() } }))
  const wrong = openFiles({ kind: 'files', path, sha256: { 'a.csv': sha256(images) } })
  await t.throwsAsync(wrong, { instanceOf: InputError, message: new RegExp(`a\\.csv has the SHA-256 ${right}`) })
  const none = openFiles({ kind: 'files', path, sha256: { 'a.csv': 'abc' } })
  await t.throwsAsync(none, { instanceOf: InputError, message: /"abc", expected 64 hex digits/ })
})

const wrong: readonly (readonly [string, Readonly<Record<string, Uint8Array | string>>, RegExp])[] = [
  ['a folder without data', { 'notes.md': '' }, /no data that can be read \(found: notes\.md\)/],
  ['an empty folder', {}, /found: nothing/],
  ['pictures without labels', { 'x-images-idx3-ubyte': images }, /no partner: expected x-labels-idx1-ubyte/],
  ['labels without pictures', { 'x-labels-idx1-ubyte': labels }, /no partner: expected x-images-idx3-ubyte/],
  ['a truncated gzip file', { 'a.csv.gz': gzipSync('1,0\n2,1').subarray(0, 20) }, /a\.csv\.gz cannot be unpacked/]
]

for (const [what, files, message] of wrong) {
  test(`${what} is refused`, async (t) => {
    const path = await folder(t, files)
    await t.throwsAsync(openFiles({ kind: 'files', path }), { instanceOf: InputError, message })
  })
}

test('a path where nothing is, is refused with the path', async (t) => {
  const missing = openFiles({ kind: 'files', path: '/nowhere/at/all' })
  await t.throwsAsync(missing, { instanceOf: InputError, message: /^\/nowhere\/at\/all cannot be read/ })
})

test('a packed file is unpacked up to the limit of its kind, whatever its end says', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-packed-')), 'a.csv.gz')
  const packed = Buffer.concat([gzipSync(Buffer.alloc(3e5, '1,0\n')), gzipSync('1,1\n')])
  await writeFile(path, packed)
  const file = { name: 'a.csv.gz', path }
  t.is((await readData(file)).length, 3e5 + 4)
  t.is(Buffer.from(await readData(file, { limit: 3e5 + 4 })).toString('latin1', 3e5), '1,1\n')
  await t.throwsAsync(readData(file, { limit: 3e5 + 3 }), {
    instanceOf: InputError,
    message: /a\.csv\.gz unpacks to more than 300003 bytes/
  })
  await t.throwsAsync(readData(file, { limit: packed.length - 1 }), {
    instanceOf: InputError,
    message: /bytes, expected at most/
  })
})
