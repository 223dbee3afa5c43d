import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { JoinServer } from './join-server.js'

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

/** Like `fetch`, which can neither set the Host header nor ask for a path with `..`. */
function ask(url: string, path = '/', options: { method?: string; headers?: Record<string, string> } = {}) {
  const { hostname, port } = new URL(url)
  return new Promise<Answer>((resolve, reject) => {
    request({ hostname, port, path, ...options }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (data: Buffer) => parts.push(data))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) })
      )
    })
      .on('error', reject)
      .end()
  })
}

async function served(t: ExecutionContext, names: readonly string[] = []): Promise<JoinServer> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-join-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const inner of ['page/inner', 'page/0123456789abcdef']) await mkdir(join(folder, inner), { recursive: true })
  for (const [name, text] of Object.entries({
    'secret.txt': 'secret',
    'page/index.html': '<p>page</p>',
    'page/main.js': 'import("./run.js")',
    'page/0123456789abcdef/run.js': 'run',
    'page/simd.wasm': 'wasm',
    'page/main.js.map': 'map',
    'page/.tsbuildinfo': 'build',
    'page/inner/.hidden.js': 'hidden'
  }))
    await writeFile(join(folder, name), text)
  const server = await JoinServer.start({ folder: join(folder, 'page'), host: '127.0.0.1', port: 0, names })
  t.teardown(() => server.close())
  return server
}

test('the page’s files are served, isolated, without a referrer, and to no other page', async (t) => {
  const [url] = (await served(t)).urls
  for (const [path, type, text] of [
    ['/', 'text/html; charset=utf-8', '<p>page</p>'],
    ['/main.js?x=1', 'text/javascript; charset=utf-8', 'import("./run.js")'],
    ['/simd.wasm', 'application/wasm', 'wasm']
  ]) {
    const { status, headers, body } = await ask(url, path)
    t.deepEqual([status, headers['content-type'], body.toString()], [200, type, text])
    t.is(headers['cross-origin-opener-policy'], 'same-origin')
    t.is(headers['cross-origin-embedder-policy'], 'require-corp')
    t.is(headers['referrer-policy'], 'no-referrer')
    t.is(headers['x-content-type-options'], 'nosniff')
    t.regex(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/)
    t.false('access-control-allow-origin' in headers)
  }
})

test('a file is compressed where the browser takes it, and kept by it where its name says what it holds', async (t) => {
  const [url] = (await served(t)).urls
  const zipped = await ask(url, '/0123456789abcdef/run.js', { headers: { 'accept-encoding': 'br, gzip' } })
  t.is(zipped.headers['content-encoding'], 'gzip')
  t.is(gunzipSync(zipped.body).toString(), 'run')
  t.regex(String(zipped.headers['cache-control']), /immutable/)
  const head = await ask(url, '/main.js', { method: 'HEAD' })
  t.deepEqual([head.status, head.body.length, head.headers['cache-control']], [200, 0, 'no-cache'])
})

test('no other file is served, and nothing but reading', async (t) => {
  const [url] = (await served(t)).urls
  for (const path of [
    '/secret.txt',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/page/../../secret.txt',
    '//secret.txt',
    '/main.js.map',
    '/.tsbuildinfo',
    '/inner/.hidden.js',
    '/0123456789abcdef/../../secret.txt',
    '/inner',
    '/index.html/',
    '/constructor',
    'http://127.0.0.1/main.js'
  ]) {
    const { status, body } = await ask(url, path)
    t.is(status, 404, `${path}: ${body.toString()}`)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
    t.is((await ask(url, '/', { method })).status, 405, method)
})

test('requests under a name that is not this machine’s, or of another page, are refused', async (t) => {
  const { urls } = await served(t, ['192.0.2.7', 'Box.example'])
  const { port } = new URL(urls[0])
  t.deepEqual(urls, [`http://127.0.0.1:${port}/`, `http://192.0.2.7:${port}/`, `http://Box.example:${port}/`])
  const status = async (headers: Record<string, string>) => (await ask(urls[0], '/', { headers })).status
  for (const name of ['127.0.0.1', 'localhost', '[::1]', '192.0.2.7', 'box.example', 'LOCALHOST'])
    t.is(await status({ host: `${name}:${port}` }), 200, name)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port}0`,
    `127.0.0.1.evil.example:${port}`,
    `localhost:${port}.evil.example`,
    `evil@127.0.0.1:${port}`,
    `192.0.2.70:${port}`
  ])
    t.is(await status({ host }), 403, host)
  const host = `127.0.0.1:${port}`
  t.is(await status({ host, origin: `http://${host}` }), 200)
  for (const origin of [
    'null',
    'http://evil.example',
    `https://${host}`,
    `http://localhost:${port}`,
    `http://${host}0`
  ])
    t.is(await status({ host, origin }), 403, origin)
})

test('a port of the page that is in use is an error with a fix', async (t) => {
  const { urls } = await served(t)
  const port = Number(new URL(urls[0]).port)
  await t.throwsAsync(JoinServer.start({ folder: tmpdir(), host: '127.0.0.1', port, names: [] }), {
    instanceOf: InputError,
    message: /--browsers: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*; give another port/
  })
})
