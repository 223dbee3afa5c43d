import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { downloadAll } from './download.js'

const content = '1,0\n2,1\n'
const sha256 = createHash('sha256').update(content).digest('hex')

async function serve(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function limits(t: ExecutionContext, bytes = 1000, milliseconds = 10_000) {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return { bytes, milliseconds, folder }
}

test('a file is fetched once and then taken from the cache, unless that is damaged', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, ({ url }, response) => {
    asked.push(url)
    response.end(content)
  })
  const allowed = await limits(t)
  const [file] = await downloadAll(`${url}/sets/a.csv`, { 'a.csv': sha256 }, allowed)
  t.is(await readFile(file.path, 'utf8'), content)
  await downloadAll(`${url}/sets/a.csv`, { 'a.csv': sha256 }, allowed)
  t.deepEqual(asked, ['/sets/a.csv'])
  await writeFile(file.path, 'damaged')
  await downloadAll(`${url}/sets/a.csv`, { 'a.csv': sha256 }, allowed)
  t.is(await readFile(file.path, 'utf8'), content)
  t.is(asked.length, 2)
  t.deepEqual(await readdir(join(allowed.folder, sha256)), ['a.csv'])
})

test('of a folder, all files that have a checksum are fetched; of a file, also those next to it', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, ({ url }, response) => {
    asked.push(url)
    response.end(content)
  })
  await downloadAll(`${url}/sets/`, { 'b.csv': sha256, 'a.csv': sha256 }, await limits(t))
  await downloadAll(`${url}/sets/b.csv?x=1`, { 'b.csv': sha256, 'a.csv': sha256 }, await limits(t))
  t.deepEqual(asked, ['/sets/a.csv', '/sets/b.csv', '/sets/a.csv?x=1', '/sets/b.csv?x=1'])
})

test('two that fetch the same at once both have it', async (t) => {
  const url = await serve(t, (_, response) => response.end(content))
  const allowed = await limits(t)
  const both = await Promise.all([1, 2].map(() => downloadAll(`${url}/a.csv`, { 'a.csv': sha256 }, allowed)))
  t.deepEqual(both[0], both[1])
  t.deepEqual(await readdir(join(allowed.folder, sha256)), ['a.csv'])
})

const wrong: readonly (readonly [string, RequestListener, RegExp])[] = [
  [
    'another file than promised',
    (_, response) => response.end('other'),
    /its SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}/
  ],
  ['a file that is too large', (_, response) => response.end('x'.repeat(1001)), /larger than 1000 bytes/],
  ['a missing file', (_, response) => response.writeHead(404).end(), /answered 404/],
  ['a connection that breaks', (_, response) => response.destroy(), /cannot be used/]
]

for (const [what, answer, message] of wrong) {
  test(`${what} is refused and leaves nothing behind`, async (t) => {
    const url = await serve(t, answer)
    const allowed = await limits(t)
    const fetched = downloadAll(`${url}/a.csv`, { 'a.csv': sha256 }, allowed)
    await t.throwsAsync(fetched, { instanceOf: InputError, message })
    t.deepEqual(await readdir(join(allowed.folder, sha256)), [])
  })
}

test('a server that never answers is given up', async (t) => {
  const url = await serve(t, () => undefined)
  const fetched = downloadAll(`${url}/a.csv`, { 'a.csv': sha256 }, await limits(t, 1000, 100))
  await t.throwsAsync(fetched, { instanceOf: InputError, message: /did not arrive within 0\.1 s/ })
})

test('without a checksum, over another protocol, or with a path as name nothing is fetched', async (t) => {
  const allowed = await limits(t)
  const refused = (url: string, checksums: Record<string, string>, message: RegExp) =>
    t.throwsAsync(downloadAll(url, checksums, allowed), { instanceOf: InputError, message })
  await refused('http://127.0.0.1:1/a.csv', {}, /has no checksum/)
  await refused('ftp://127.0.0.1:1/a.csv', { 'a.csv': sha256 }, /http:\/\/ or https:\/\//)
  await refused('http://127.0.0.1:1/', { '../a.csv': sha256 }, /a plain file name/)
})
