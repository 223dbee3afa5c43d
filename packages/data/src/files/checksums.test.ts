import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { InputError } from '@murmuration/core'
import { encode } from 'fast-png'
import test from 'ava'
import { checksumOf, openFiles } from '../files.js'

const dot = (value: number) => encode({ width: 1, height: 1, channels: 1, data: Uint8Array.of(value) })
const sumOf = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex')
const other = '0'.repeat(64)

async function folder(files: Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'murmur-sums-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}

const photos = { 'cat/a.png': dot(1), 'cat/b.png': dot(2), 'dog/a.png': dot(3) }

test('a folder has one SHA-256, that of the lines of sha256sum for the files that are read; a file has its own', async (t) => {
  const path = await folder({ ...photos, 'notes.txt': 'not read', 'cat/.hidden': '' })
  const lines = Object.entries(photos).map(([name, content]) => `${sumOf(content)}  ${name}\n`)
  t.deepEqual(await checksumOf(path), { sha256: sumOf(lines.join('')), files: 3 })
  const table = await folder({ 'a.csv': '1,0\n2,1' })
  t.deepEqual(await checksumOf(join(table, 'a.csv')), { sha256: sumOf('1,0\n2,1'), files: 1 })
  t.deepEqual(await checksumOf(table), { sha256: sumOf('1,0\n2,1'), files: 1 })
})

test('a data set opens with its SHA-256, and not after a file was changed, added or removed', async (t) => {
  const { sha256 } = await checksumOf(await folder(photos))
  const opened = async (files: typeof photos, hash = sha256) =>
    openFiles({ kind: 'files', path: await folder(files), sha256: hash, mustMatch: true })
  t.is((await opened(photos)).count, 3)
  t.is((await opened(photos, sha256.toUpperCase())).count, 3)
  const { 'cat/b.png': _, ...fewer } = photos
  for (const changed of [{ ...photos, 'cat/b.png': dot(9) }, { ...photos, 'dog/c.png': dot(4) }, fewer])
    await t.throwsAsync(opened(changed as typeof photos), {
      instanceOf: InputError,
      message: new RegExp(`has the SHA-256 [0-9a-f]{64}, expected ${sha256}`)
    })
})

test('where a checksum is missing or wrong, the error has the one of the whole data set', async (t) => {
  const path = await folder(photos)
  const { sha256 } = await checksumOf(path)
  const refused = (given: Parameters<typeof openFiles>[0]['sha256'], message: string) =>
    t.throwsAsync(openFiles({ kind: 'files', path, sha256: given, mustMatch: true }), {
      instanceOf: InputError,
      message: new RegExp(`${message}.* write sha256: ${sha256}$`)
    })
  await refused(undefined, 'found no SHA-256 of \\S+cat/a.png')
  await refused({ 'cat/a.png': sumOf(photos['cat/a.png']) }, 'found no SHA-256 of \\S+cat/b.png')
  await refused(other, 'expected 0{64}')
  const all = Object.fromEntries(Object.keys(photos).map((name) => [name, other]))
  await refused(all, `cat/a.png has the SHA-256 ${sumOf(photos['cat/a.png'])}, expected 0{64}, and 2 more differ`)
})

test('a URL needs the checksum of each file, since it does not list them', async (t) => {
  const fetched = openFiles({ kind: 'files', path: 'https://127.0.0.1:1/photos', sha256: other })
  await t.throwsAsync(fetched, { instanceOf: InputError, message: /expected that of each file by its name/ })
})

test('nothing is a data set without data', async (t) => {
  const path = await folder({ 'notes.md': '' })
  await t.throwsAsync(checksumOf(path), { instanceOf: InputError, message: /no data that can be read \(found: notes/ })
})
