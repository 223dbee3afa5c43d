import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { InputError, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type WatchAddress, watchAddress } from './address.js'
import { Board } from './board.js'
import { metrics, metricsText } from './metrics.js'
import { type PeerReport, reportNote } from './report.js'
import { WatchServer } from './server.js'

const root = new URL('../../../', import.meta.url)
const [a, b] = ['a', 'b'].map(peerName)

function boardOfTwo(state = 'healthy'): Board {
  const facts = {
    self: a,
    peers: [a, b],
    servers: [],
    topology: 'ring',
    algorithm: 'D-PSGD',
    rounds: 9,
    finalRounds: 0,
    version: '1.2.3',
    wire: 9
  }
  const board = new Board({ ...facts, about: {} }, 1000, 0)
  const report: PeerReport = {
    phase: 'training',
    state: 'healthy',
    round: 3,
    life: 1,
    samples: 100,
    seconds: 2,
    loss: 0.5,
    accuracy: 0.9,
    bytesSent: 1000,
    bytesReceived: 2000,
    working: 0.5,
    waiting: 0.25,
    sending: 1,
    consensusDistance: 0.1,
    gap: 0.02,
    links: [[b, 'ready', 10, 20, 1.5]]
  }
  for (const peer of [a, b]) board.take(peer, reportNote(report), 500)
  const standing = { condition: 'here', round: 3, life: 1, waitsFor: [] } as const
  board.tick(1000, { state, members: 2, present: 2, standingOf: () => standing })
  return board
}

async function served(t: ExecutionContext, address: WatchAddress, board = boardOfTwo()): Promise<WatchServer> {
  const server = await WatchServer.start(board, address)
  t.teardown(() => server.close())
  return server
}

const local = watchAddress('0')
const open = { host: '0.0.0.0', port: 0 }

/** Like `fetch`, which cannot set the Host header. */
function answer(url: string, options: { readonly headers?: Record<string, string>; readonly method?: string } = {}) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = ''
      response.on('data', (data) => (text += String(data)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('an address of --watch is a port, or a host and a port', (t) => {
  t.deepEqual(watchAddress('8080'), { host: '127.0.0.1', port: 8080, token: undefined })
  t.deepEqual(watchAddress('[::]:80'), { host: '::', port: 80, token: undefined })
  for (const text of ['', 'ring-4', '65536', '0.0.0.0', 'a b:80', '::1:80', '-1'])
    t.throws(() => watchAddress(text), { instanceOf: InputError, message: /expected a port such as 8080/ })
  t.throws(() => watchAddress('80', 'short'), { message: /MURMURATION_WATCH_TOKEN: expected 16 to 256/ })
})

test('on localhost, requests under the name of another site are refused', async (t) => {
  const { url } = await served(t, local)
  t.is((await answer(url)).status, 200)
  t.is((await answer(url, { headers: { host: 'evil.example:80' } })).status, 403)
  t.is((await answer(`${url}metrics`, { headers: { host: 'evil.example' } })).status, 403)
  t.is((await answer(url, { method: 'POST' })).status, 405)
})

test('idle connections keep nobody from the page', async (t) => {
  const { url } = await served(t, local)
  for (let k = 0; k < 70; k++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
  }
  t.is((await answer(url)).status, 200)
})

test('other machines need the token, except for the health state and the page’s scripts and styles', async (t) => {
  const { url } = await served(t, open)
  const { origin, searchParams } = new URL(url)
  const token = searchParams.get('token') ?? ''
  t.true(token.length >= 20)
  for (const path of ['/', '/events', '/metrics'])
    for (const query of ['', '?token=', '?token=wrong']) t.is((await answer(origin + path + query)).status, 401, path)
  t.is((await answer(url)).status, 200)
  t.is((await answer(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  t.is((await answer(`${origin}/healthz`)).status, 200)
  t.is((await answer(`${origin}/uplot.js`)).status, 200)
  const { url: urlWithToken } = await served(t, { ...open, token: '0123456789abcdef' })
  t.is(new URL(urlWithToken).searchParams.get('token'), '0123456789abcdef')
})

test('only the files of the page are served, less than 100 kB', async (t) => {
  const { url } = await served(t, local)
  const paths = ['package.json', 'page/../server.js', 'page/%2e%2e/server.js', 'page/none.js', 'page/main.d.ts']
  for (const path of paths) t.is((await answer(url + path)).status, 404, path)
  t.is((await answer(`${url}/`)).status, 400)
  const seen = new Set<string>()
  let bytes = 0
  const load = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const { status, text } = await answer(new URL(path, url).href)
    t.is(status, 200, path)
    bytes += Buffer.byteLength(text)
    const found = [...text.matchAll(/(?:from '\.|src="|rel="stylesheet" href=")(\/[\w./-]+)/g)].map(([, next]) => next)
    for (const next of found) await load(text.includes("from './") ? `/page${next}` : next)
  }
  await load('/')
  t.true(seen.size > 6, [...seen].join())
  t.true(bytes < 100_000, `${bytes} bytes`)
})

test('a page gets a snapshot, then updates, then the end; at most 16 pages are open', async (t) => {
  const board = boardOfTwo()
  const server = await served(t, local, board)
  const streams = await Promise.all(Array.from({ length: 16 }, () => fetch(`${server.url}events`)))
  t.is((await fetch(`${server.url}events`)).status, 503)
  for (const stream of streams.slice(1)) await stream.body?.cancel()
  server.send(board.tick(2000))
  server.close()
  const text = await streams[0].text()
  const messages = text
    .trim()
    .split('\n\n')
    .map((line) => JSON.parse(line.replace('data: ', '')) as { kind: string })
  t.deepEqual(
    messages.map(({ kind }) => kind),
    ['snapshot', 'update', 'end']
  )
})

test('the metrics have the versions as labels', (t) => {
  t.regex(metricsText(boardOfTwo()), /^murmuration_build_info\{version="1\.2\.3",wire="9"\} 1$/m)
})

test('a peer that pauses is not healthy', async (t) => {
  const { url } = await served(t, local, boardOfTwo('partitioned'))
  t.deepEqual(await answer(`${url}healthz`), { status: 503, text: 'partitioned\nmurmuration 1.2.3 (wire 9)\n' })
})

test('a port in use is an error, with a fix', async (t) => {
  const { url } = await served(t, local)
  await t.throwsAsync(WatchServer.start(boardOfTwo(), watchAddress(new URL(url).port)), {
    instanceOf: InputError,
    message: /cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*; give another port/
  })
})

test('every metric has values and is documented, and the dashboard uses no other', async (t) => {
  const { url } = await served(t, local)
  const { text } = await answer(`${url}metrics`)
  const document = readFileSync(new URL('docs/use/watching.md', root), 'utf8')
  const dashboard = readFileSync(new URL('docs/grafana-dashboard.json', root), 'utf8')
  for (const { name, kind } of metrics) {
    t.regex(text, new RegExp(`^# HELP ${name} .+\n# TYPE ${name} ${kind}\n${name}(\\{.*\\})? [\\d.]+$`, 'm'))
    t.true(document.includes(`\`${name}\``), name)
  }
  const names = new Set<string>(metrics.map(({ name }) => name))
  const used = [...dashboard.matchAll(/murmuration_\w+/g)].map(([name]) => name)
  t.true(used.length > 8)
  t.deepEqual(
    used.filter((name) => !names.has(name)),
    []
  )
  t.notThrows(() => JSON.parse(dashboard) as unknown)
})

test('a link through a relay is up', (t) => {
  const board = boardOfTwo()
  for (const state of ['relayed', 'barred']) {
    const links = [['b', state, 10, 20, 1.5]]
    const amounts = {
      phase: 'training',
      round: 3,
      life: 1,
      samples: 0,
      seconds: 2,
      bytesSent: 0,
      bytesReceived: 0,
      working: 0,
      waiting: 0,
      sending: 0
    }
    t.is(board.take(a, `report ${JSON.stringify({ ...amounts, links })}`, 1500), undefined)
    board.tick(2000)
    const expected = `murmuration_link_up{peer="a",to="b"} ${state === 'relayed' ? 1 : 0}`
    t.true(metricsText(board).includes(expected), state)
  }
})
