import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Passage } from './passage.js'
import { TcpRelay } from './relay.js'

/** A caller and the peer that it has called, through a relay. */
interface Line {
  readonly relay: TcpRelay
  readonly passage: Passage
  readonly caller: Socket
  readonly called: Socket
}

/** Calls through a relay. Connections end with the test. */
async function line(t: ExecutionContext, prepare: (relay: TcpRelay) => void = () => {}): Promise<Line> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay = new TcpRelay('x', (server.address() as AddressInfo).port, () => {})
  prepare(relay)
  const answered = once(server, 'connection')
  const caller = connect({ port: await relay.listen(), host: '127.0.0.1', allowHalfOpen: true })
  const [called] = (await answered) as [Socket]
  for (const socket of [caller, called]) socket.on('error', () => {})
  t.teardown(() => {
    caller.destroy()
    called.destroy()
    relay.close()
    server.close()
  })
  return { relay, passage: relay.passages[0], caller, called }
}

/** All bytes from a socket until it ends or breaks. */
async function all(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, resolve)
  })
  return Buffer.concat(chunks)
}

/** Bytes that differ everywhere. */
const content = Buffer.from(Uint32Array.from({ length: 500_000 }, (_, index) => Math.imul(index, 0x9e3779b1)).buffer)

test('bytes go through both ways as they are, and an end does not end the other direction', async (t) => {
  const { caller, called } = await line(t)
  const there = all(called)
  caller.end(content)
  t.true(content.equals(await there))
  const back = all(caller)
  called.end(content)
  t.true(content.equals(await back))
})

test('a passage that is to be cut after some bytes lets exactly those through, in either direction', async (t) => {
  for (const [inward, bytes] of [
    [true, 1],
    [false, 123_457]
  ] as const) {
    const { passage, caller, called, relay } = await line(t)
    const [from, to] = inward ? [caller, called] : [called, caller]
    passage.cutAfter(bytes, inward)
    const seen = all(to)
    from.write(content)
    t.true(content.subarray(0, bytes).equals(await seen))
    if (!from.closed) await once(from.resume(), 'close')
    t.deepEqual(relay.passages, [])
  }
})

test('an ambush ends the next connection after some bytes, and none after it', async (t) => {
  const { relay, caller, called } = await line(t, (ready) => ready.ambush(77))
  const there = all(called)
  caller.write(content)
  t.is((await there).length, 77)
  t.is(relay.passages.filter(({ state }) => state !== 'cut').length, 0)
})

test('a half-closed passage loses what one side says and carries what the other says', async (t) => {
  const { passage, caller, called } = await line(t)
  passage.halfClose(true)
  t.is(passage.state, 'half-closed')
  t.is((await all(called)).length, 0)
  caller.write(content)
  const back = all(caller)
  called.end(content)
  t.true(content.equals(await back))
})

test('a frozen passage carries nothing until it thaws, and then everything', async (t) => {
  const { passage, caller, called } = await line(t)
  passage.freeze(300)
  const stateAtFirst = new Promise((resolve) => called.once('data', () => resolve(passage.state)))
  const there = all(called)
  caller.end(content)
  t.is(passage.state, 'frozen')
  t.is(await stateAtFirst, 'open')
  t.true(content.equals(await there))
})

test('a cut is seen at both ends, in order or by a reset', async (t) => {
  for (const reset of [false, true]) {
    const { passage, caller, called } = await line(t)
    const ends = Promise.all([all(caller), all(called)])
    passage.cut(reset)
    t.deepEqual(
      (await ends).map(({ length }) => length),
      [0, 0]
    )
  }
})
