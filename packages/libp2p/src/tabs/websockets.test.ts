import { once } from 'node:events'
import { connect } from 'node:net'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { graph, testNode } from '../cluster.test.support.js'
import { isOwnPage } from './websockets.js'

const names = ['127.0.0.1', '[2001:db8::7]', 'localhost']
const isOwn = (host: string | undefined, origin?: string, port = 5001) => isOwnPage({ host, origin }, names, port)

test('only this machine’s pages may call, by one of its names, exactly', (t) => {
  for (const origin of [
    undefined,
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://[2001:db8::7]:1',
    'http://LOCALHOST:1'
  ])
    t.true(isOwn('127.0.0.1:5001', origin), origin)
  t.true(isOwn('localhost:5001'))
  t.true(isOwn('[2001:db8::7]:5001'))
  t.true(isOwn('localhost', undefined, 80))
  for (const origin of [
    '',
    'null',
    'https://127.0.0.1:8080',
    'http://evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example:8080',
    'http://evil.example:8080/127.0.0.1',
    'http://localhost@evil.example',
    'http://127.0.0.1:80:80',
    'http://127.0.0.1:8080/',
    'file://localhost'
  ])
    t.false(isOwn('127.0.0.1:5001', origin), origin)
  for (const host of [
    undefined,
    '',
    'evil.example:5001',
    '127.0.0.1',
    '127.0.0.1:50011',
    'localhost.evil.example:5001'
  ])
    t.false(isOwn(host), host)
})

/** Sends a request to upgrade, and returns the first line of the answer. */
async function answerTo(port: number, host: string, origin: string): Promise<string> {
  const { socket, line } = await asked(port, host, origin)
  socket.destroy()
  return line
}

async function asked(port: number, host: string, origin: string) {
  const socket = connect(port, '127.0.0.1')
  const lines = [`GET / HTTP/1.1`, `Host: ${host}`, `Origin: ${origin}`, 'Connection: Upgrade', 'Upgrade: websocket']
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
  socket.write(`${[...lines, ...key].join('\r\n')}\r\n\r\n`)
  const [data] = (await once(socket, 'data')) as [Buffer]
  return { socket, line: data.toString().split('\r\n')[0] }
}

test('a page of another origin is refused before the handshake, and silent sockets are cut off', async (t) => {
  const listen = ['/ip4/127.0.0.1/tcp/0/ws']
  const { peer } = await testNode(t, graph(['a', 'b']), 'a', { listen, limits: { unknownPeerTimeout: 300 } })
  const port = Number(/tcp\/(\d+)/.exec(peer.addresses[0])?.[1])
  t.regex(await answerTo(port, `127.0.0.1:${port}`, 'http://127.0.0.1:9'), / 101 /)
  t.regex(await answerTo(port, `127.0.0.1:${port}`, 'http://evil.example'), / 403 /)
  t.regex(await answerTo(port, `evil.example:${port}`, `http://evil.example:${port}`), / 403 /)
  const sockets = Array.from({ length: 100 }, () =>
    connect(port, '127.0.0.1')
      .resume()
      .on('error', () => {})
  )
  await Promise.all(sockets.map((socket) => once(socket, 'close')))
  t.regex(await answerTo(port, `localhost:${port}`, `http://localhost:9`), / 101 /)
})

test('a WebSocket that does not authenticate is ended, although it does not answer', async (t) => {
  const listen = ['/ip4/127.0.0.1/tcp/0/ws']
  const { peer } = await testNode(t, graph(['a', 'b']), 'a', { listen, limits: { unknownPeerTimeout: 300 } })
  const port = Number(/tcp\/(\d+)/.exec(peer.addresses[0])?.[1])
  const { socket, line } = await asked(port, `127.0.0.1:${port}`, 'http://127.0.0.1:9')
  t.regex(line, / 101 /)
  t.teardown(() => socket.destroy())
  await once(socket.resume(), 'close', { signal: AbortSignal.timeout(timeLimit(5_000)) })
})
