/** Attacks of an admitted neighbour by data channels: its streams are ended, or the attack has no effect. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { eventOf, eventually, graph, schemaOf, testNode, type TestNode } from '../../cluster.test.support.js'
import { controlProtocol, exchangeProtocol, limitsOf } from '../../base/constants.js'
import { ControlChannel } from '../control-channel.js'
import type { ControlMessage } from '../control-messages.js'
import { behindLength, frame, sayHello } from '../../hostile.test.support.js'
import { createIdentity } from '../../base/identity.js'
import { createNode } from '../../node/node.js'
import type { RunSettings } from '../../base/run-settings.js'
import { TrafficMeter } from '../../base/traffic.js'
import { dialChannel } from './dial.js'
import { ChannelListener } from './listener.js'

const m = peerName('m')
const edge = graph(['a', 'm'])
/** A vector of one frame that is long enough for a data channel. */
const elements = 1 << 16
const runSettings: RunSettings = { settings: { run: 'test' }, start: '00', schema: schemaOf(elements) }
const limits = { initialShutOut: 600_000, maxShutOut: 600_000 }

/** A neighbour "m" of a victim, with a handwritten protocol, as sender and as receiver. */
async function mallory(t: ExecutionContext, { opensStream = true } = {}) {
  const victim = await testNode(t, edge, 'a', { limits, runSettings })
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: [], limits: limitsOf() })
  const received: ControlMessage[] = []
  const control = new Promise<ControlChannel>((resolve) => {
    void node.handle(controlProtocol, async (stream) => {
      const channel = new ControlChannel(stream, new TrafficMeter())
      resolve(channel)
      const place = { received: 0, acknowledged: 0, window: 2, codecs: [] }
      channel.send({ kind: 'welcome', name: m, ...place })
      for await (const message of channel.messages) received.push(message)
    })
  })
  await node.handle(exchangeProtocol, (stream) => stream.addEventListener('message', () => {}))
  await node.start()
  const channels = new ChannelListener(['/ip4/127.0.0.1/tcp/0'], timeLimit(10_000))
  t.teardown(() => Promise.all([node.stop(), channels.close()]))
  victim.peer.connect([{ name: m, id: identity.id, addresses: [] }], 500).catch(() => {})
  const connection = await node.dial(victim.peer.addresses.map((address) => multiaddr(address)))
  const hello = await sayHello(connection, m, runSettings)
  const exchange = opensStream ? await connection.newStream(exchangeProtocol) : hello.stream
  return { victim, channels, hello, exchange, received, control, connection }
}

const faultsOf = ({ peer }: TestNode) => peer.neighbours()[0].faults.kinds

const receive = async ({ peer }: TestNode) => {
  const envelope = await peer.fabric.receive(peer.fabric.now() + timeLimit(10_000))
  if (envelope !== undefined) peer.fabric.recycle(envelope.message)
  return envelope?.message.round
}

/** Offers a channel, which the victim accepts. */
async function offered({ channels, hello }: Awaited<ReturnType<typeof mallory>>) {
  const offer = await channels.offer('127.0.0.1')
  if (offer === undefined) throw new Error('no offer')
  const { port, id, key, taken } = offer
  hello.channel.send({ kind: 'channel', port, id, key: Buffer.from(key).toString('base64') })
  const socket = await taken
  if (socket === undefined) throw new Error('the offer was not taken')
  socket.resume()
  return socket
}

const closed = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()))

const isReset = ({ status }: Stream) => status !== 'open'

const attacks: Readonly<Record<string, readonly [fault: string, () => Uint8Array]>> = {
  'bytes that are no frame': ['magic', () => randomBytes(4096)],
  'a vector out of turn': ['gap', () => frame(7, elements)],
  'a vector that is too long': ['range', () => frame(1, elements, { offset: 1 })],
  'a codec that was not negotiated': ['codec', () => frame(1, elements, { codec: 200 })]
}

for (const [name, [fault, bytes]] of Object.entries(attacks)) {
  test(`${name} on a channel ends it and all streams, and is counted`, async (t) => {
    const all = await mallory(t)
    const socket = await offered(all)
    socket.write(bytes())
    await closed(socket)
    await eventually('a reset', () => isReset(all.exchange))
    t.like(await eventOf(all.victim, 'bad-frame'), { peer: m, fault, count: 1 })
  })
}

test('bytes that are not a frame are a fault also when there is only a channel', async (t) => {
  const all = await mallory(t, { opensStream: false })
  const socket = await offered(all)
  socket.write(randomBytes(4096))
  await closed(socket)
  t.like(await eventOf(all.victim, 'bad-frame'), { peer: m, fault: 'magic', count: 1 })
})

test('vectors with non-finite numbers are dropped on a channel too, and every third ends the streams', async (t) => {
  const all = await mallory(t)
  const socket = await offered(all)
  for (const sequence of [1, 2, 3]) socket.write(frame(sequence, elements, {}, Number.NaN))
  await closed(socket)
  t.like(await eventOf(all.victim, 'bad-frame'), { fault: 'not-finite' })
})

test('a peer that switches to a channel within a vector is cut off', async (t) => {
  const all = await mallory(t)
  all.exchange.send(frame(1, elements).subarray(0, 1000))
  await eventually('it has come', () => all.victim.peer.traffic().received.overhead > 1000)
  const socket = await offered(all)
  socket.write(frame(1, elements))
  await closed(socket)
  t.is((await eventOf(all.victim, 'bad-frame')).detail, 'it switches to a data channel within a vector')
})

test('a peer that offers a second channel while it uses one is cut off', async (t) => {
  const all = await mallory(t)
  const socket = await offered(all)
  socket.write(frame(1, elements))
  t.is(await receive(all.victim), 0)
  await t.throwsAsync(Promise.race([offered(all), closed(socket).then(() => Promise.reject(new Error('cut off')))]))
  t.is((await eventOf(all.victim, 'bad-frame')).detail, 'it offers a second data channel while it uses one')
})

test('a channel that breaks within a vector is no fault, and its memory is reused', async (t) => {
  const all = await mallory(t)
  // More often than there are vectors in the pool that could leak.
  for (let time = 0; time < 10; time++) {
    const hello = await sayHello(all.connection, m, runSettings, `${time}`)
    const before = all.victim.peer.traffic().received.overhead
    const socket = await offered({ ...all, hello })
    socket.write(frame(1, elements).subarray(0, 100_000))
    await eventually('it comes', () => all.victim.peer.traffic().received.overhead > before + 90_000)
    socket.destroy()
    await closed(socket)
  }
  t.deepEqual(faultsOf(all.victim), {})
  t.is(all.victim.peer.vectorsBeyond, 0)
})

test('when the channel cannot be opened, vectors continue on the stream', async (t) => {
  const all = await mallory(t)
  const mute = createServer((socket) => socket.on('error', () => {}))
  mute.listen(0, '127.0.0.1')
  await once(mute, 'listening')
  t.teardown(() => mute.close())
  const { port } = mute.address() as AddressInfo
  const calls = once(mute, 'connection')
  const key = randomBytes(32).toString('base64')
  all.hello.channel.send({ kind: 'channel', port: 1, id: '0'.repeat(32), key })
  all.hello.channel.send({ kind: 'channel', port, id: '0'.repeat(32), key })
  await calls
  all.exchange.send(frame(1, elements))
  t.is(await receive(all.victim), 0)
  t.deepEqual(faultsOf(all.victim), {})
})

test('endless offers cause no more calls than a neighbour may request', async (t) => {
  const all = await mallory(t)
  let calls = 0
  const server = createServer((socket) => {
    calls++
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const offer = { kind: 'channel', port, id: '0'.repeat(32), key: randomBytes(32).toString('base64') } as const
  for (let k = 0; k < 200; k++) all.hello.channel.send(offer)
  all.exchange.send(frame(1, elements))
  t.is(await receive(all.victim), 0)
  t.true(calls <= 40, `${calls} calls`)
})

for (const [name, change] of [
  ['a short key', { key: randomBytes(31).toString('base64') }],
  ['a key that is no base64', { key: '*'.repeat(44) }],
  ['a wrong id', { id: 'x'.repeat(32) }],
  ['no port', { port: 0 }]
] as const) {
  test(`an offer with ${name} is a fault, and the key is not shown`, async (t) => {
    const all = await mallory(t)
    const key = randomBytes(32).toString('base64')
    const offer = { ...({ kind: 'channel', port: 4001, id: '0'.repeat(32), key } as const), ...change }
    all.hello.stream.send(behindLength(offer))
    await eventually('a reset', () => isReset(all.hello.stream))
    t.is((await eventOf(all.victim, 'bad-frame')).fault, 'protocol')
    t.false(JSON.stringify(all.victim.events).includes(offer.key))
  })
}

test('a receiver can accept the offer; it is cut off if it writes, or sends "moved" without a question', async (t) => {
  const all = await mallory(t)
  const control = await all.control
  const { fabric } = all.victim.peer
  await eventually(
    'a vector',
    () => fabric.send(m, { kind: 1, round: 0, vector: new Float32Array(elements) }) === 'queued'
  )
  const offer = await eventually('an offer', () => all.received.find((message) => message.kind === 'channel'))
  const sink = { destination: new Uint8Array(1 << 16), advance: () => {} }
  const call = { ...offer, host: '127.0.0.1', key: Buffer.from(offer.key, 'base64') }
  const socket = dialChannel(call, timeLimit(10_000), sink)
  await eventually('the question', () => all.received.find((message) => message.kind === 'move'))
  socket.write('hello')
  await closed(socket)
  control.send({ kind: 'moved', sequence: 7 })
  t.is((await eventOf(all.victim, 'bad-frame')).detail, 'it confirms vector 7 without a question')
})
