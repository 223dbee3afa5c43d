import { setTimeout as delay } from 'node:timers/promises'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import test from 'ava'
import { openStore } from './index.js'
import { Waiting } from './waiting.js'

test('a timeout that is longer than the longest timer does not end at once', async (t) => {
  const waiting = new Waiting({ name: 'x', timeout: 1e10, isUnreachable: () => true, fix: () => undefined })
  t.is(await waiting.attempt(() => delay(50, 'answer')), 'answer')
})

test('a MySQL server may have an IPv6 address', async (t) => {
  const server = createServer((socket) => socket.destroy())
  const listening = await once(server.listen(0, '::1'), 'listening').catch((error: unknown) => error)
  if (listening instanceof Error) return t.log(`skipped: ${listening.message}`)
  t.teardown(() => server.close())
  const called = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  const url = `mysql://root@[::1]:${port}/x`
  const opened = openStore({ url, run: 'x', timeout: 1000 }).then((store) => store.get('x', new Float32Array(1)))
  await Promise.all([called, t.throwsAsync(opened)])
})
