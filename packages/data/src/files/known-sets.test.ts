import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { fetchKnownSet, knownSets } from './known-sets.js'

const files = { 'a-images-idx3-ubyte.gz': 'pictures', 'a-labels-idx1-ubyte.gz': 'labels' }
const sha256Of = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
const sha256 = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sha256Of(content)]))

async function serve(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/set/`
}

async function limits(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return { bytes: 1000, milliseconds: 10_000, folder }
}

const content = (url = '') => files[url.slice('/set/'.length) as keyof typeof files]

test('a set comes from the first mirror that has it, and then from the cache', async (t) => {
  const asked: (string | undefined)[] = []
  const corrupted = await serve(t, (_, response) => response.end('something else'))
  const broken = await serve(t, (_, response) => response.destroy())
  const good = await serve(t, ({ url }, response) => {
    asked.push(url)
    response.end(content(url))
  })
  const allowed = await limits(t)
  const set = { mirrors: [corrupted, broken, good], sha256 }
  const fetched = await fetchKnownSet('made-up', set, allowed)
  t.deepEqual(await Promise.all(fetched.map(({ path }) => readFile(path, 'utf8'))), Object.values(files))
  await fetchKnownSet('made-up', { mirrors: [], sha256 }, allowed)
  t.deepEqual(asked, ['/set/a-images-idx3-ubyte.gz', '/set/a-labels-idx1-ubyte.gz'])
})

test('without a network the message names each mirror with its reason, and says what to do', async (t) => {
  const mirrors = ['http://127.0.0.1:1/one/', 'http://nowhere.invalid/two/']
  const error = await t.throwsAsync(fetchKnownSet('mnist', { mirrors, sha256 }, await limits(t)), {
    instanceOf: InputError
  })
  t.regex(error.message, /^the data set mnist cannot be fetched: http:\/\/127\.0\.0\.1:1\/one\/a-images-idx3-ubyte\.gz/)
  t.regex(
    error.message,
    /http:\/\/nowhere\.invalid\/two\/a-images-idx3-ubyte\.gz cannot be used: .*(ENOTFOUND|EAI_AGAIN)/
  )
  t.regex(error.message, /Without a network, fetch a-images-idx3-ubyte\.gz, a-labels-idx1-ubyte\.gz on another machine/)
})

test('each known set has mirrors with https, a slash at their ends, and SHA-256 of pairs of files', (t) => {
  for (const { mirrors, sha256: sums } of Object.values(knownSets)) {
    t.true(mirrors.length >= 2)
    for (const mirror of mirrors) t.regex(mirror, /^https:\/\/.*\/$/)
    for (const sum of Object.values(sums)) t.regex(sum, /^[0-9a-f]{64}$/)
    t.is(new Set(Object.values(sums)).size, Object.keys(sums).length)
  }
})

const mnist = fileURLToPath(new URL('../../../../../shared/data/mnist/', import.meta.url))
const withDigits = existsSync(mnist) ? test : test.skip

withDigits(
  'the checksums of MNIST are those of its files (skipped where ../shared/data/mnist is missing)',
  async (t) => {
    for (const [name, expected] of Object.entries(knownSets['mnist-t10k'].sha256)) {
      t.is(sha256Of(await readFile(join(mnist, name))), expected)
    }
  }
)
