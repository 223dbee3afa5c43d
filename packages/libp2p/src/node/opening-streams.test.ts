/** Streams that a neighbour or an unknown peer opens and does not complete: they are bounded, and it is reported. */
import type { Connection, Stream, StreamMuxer } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { eventOf, eventually, graph, type TestNode, testNode } from '../cluster.test.support.js'
import { asOpen, FakeConnection } from '../connections.test.support.js'
import { defaultLimits, limitsOf } from '../base/constants.js'
import { openSeed } from '../discovery/open-seed.js'
import { createIdentity } from '../base/identity.js'
import { createNode } from './node.js'
import { OpeningStreams } from './opening-streams.js'

const m = peerName('m')
const limits = { initialShutOut: 600_000, maxShutOut: 600_000 }

/** A neighbour "m" that can dial its victim several times. */
async function mallory(t: ExecutionContext) {
  const victim = await testNode(t, graph(['a', 'm']), 'a', { limits })
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: [], limits: limitsOf() })
  await node.start()
  t.teardown(async () => void (await node.stop()))
  victim.peer.connect([{ name: m, id: identity.id, addresses: [] }], 500).catch(() => {})
  const dial = () => node.dial(multiaddr(victim.peer.addresses[0]), { force: true })
  return { victim, dial }
}

/** Opens a stream and sends nothing. */
function openOne(connection: Connection): Promise<Stream> {
  const { muxer } = connection as Connection & { readonly muxer: StreamMuxer }
  return muxer.createStream()
}

async function openMany(connection: Connection, count: number): Promise<void> {
  for (let k = 0; k < count; k++) await openOne(connection)
}

const ended = (...connections: readonly Connection[]) =>
  eventually('the end of the connections', () => connections.every(({ status }) => status !== 'open'))

const floodOf = (victim: TestNode) => eventOf(victim, 'bad-frame')

test('streams without a protocol on one connection are a fault of the neighbour, and end the connection', async (t) => {
  const { victim, dial } = await mallory(t)
  const connection = await dial()
  await openMany(connection, 150)
  await ended(connection)
  const detail = 'it opens too many streams without a protocol'
  t.like(await floodOf(victim), { peer: m, fault: 'flood', detail, count: 1 })
})

test('so are those on several connections together; the second time no connection is accepted', async (t) => {
  const { victim, dial } = await mallory(t)
  for (let time = 0; time < 2; time++) {
    const connections = [await dial(), await dial(), await dial(), await dial()]
    await Promise.all(connections.map((each) => openMany(each, 40).catch(() => {})))
    await ended(...connections)
  }
  t.like(await floodOf(victim), { peer: m, fault: 'flood' })
  t.is((await eventOf(victim, 'shut-out')).peer, m)
  const late = await dial().catch(() => undefined)
  if (late !== undefined) await ended(late)
  t.false(victim.events.some(({ kind }) => kind === 'unknown-peer-refused'))
})

test('half a protocol’s name is no protocol; endless names are a fault', async (t) => {
  const { victim, dial } = await mallory(t)
  const connection = await dial()
  const stream = await openOne(connection)
  stream.send(Buffer.from('\u0013/multistream/1.0.0\n'))
  stream.send(Buffer.from('\u0003/x\n'.repeat(1000)))
  await ended(connection)
  const detail = 'it sends too many bytes on a stream without a protocol'
  t.like(await floodOf(victim), { peer: m, fault: 'flood', detail })
})

test('streams that are opened and reset again and again are a fault', async (t) => {
  const { victim, dial } = await mallory(t)
  const connection = await dial()
  while (connection.status === 'open') {
    const streams = await Promise.allSettled(Array.from({ length: 8 }, () => openOne(connection)))
    await new Promise((resolve) => setImmediate(resolve))
    for (const stream of streams) if (stream.status === 'fulfilled') stream.value.abort(new Error('reset'))
  }
  t.like(await floodOf(victim), { peer: m, fault: 'flood', detail: 'it opens too many streams' })
})

test('an unknown peer that opens streams without a protocol at a seed is disconnected, others are not', async (t) => {
  const seed = await openSeed({ identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => seed.close())
  const dial = async () => {
    const node = await createNode({ identity: await createIdentity(), listen: [], limits: defaultLimits })
    t.teardown(async () => void (await node.stop()))
    await node.start()
    return node.dial(multiaddr(seed.addresses[0]))
  }
  const honest = await dial()
  const hostile = await dial()
  await openOne(honest)
  await openMany(hostile, 150)
  await ended(hostile)
  t.is(honest.status, 'open')
})

/** A stream that is only counted. */
class FakeStream extends EventTarget {
  readonly readBufferLength = 0
  status = 'open'
  protocol = ''

  abort(): void {
    this.status = 'aborted'
    this.dispatchEvent(new Event('close'))
  }
}

/** A connection on which others open streams that are only counted. */
class CountedConnection extends FakeConnection {
  readonly muxer = new EventTarget()

  open(count: number): readonly FakeStream[] {
    const streams = Array.from({ length: count }, () => new FakeStream())
    for (const detail of streams) this.muxer.dispatchEvent(new CustomEvent('stream', { detail }))
    return streams
  }
}

function counted() {
  const floods: string[] = []
  const opening = new OpeningStreams({ nameOf: () => undefined, onFlood: (_connection, detail) => floods.push(detail) })
  const connection = (host: string, id = host) => {
    const one = new CountedConnection(host, id)
    opening.watch(asOpen(one))
    return one
  }
  return { floods, connection }
}

test('of too many streams of all holders together, the oldest of the holder with most are reset, which is no fault', (t) => {
  const { floods, connection } = counted()
  const most = connection('192.0.2.66').open(128)
  const others = [1, 2, 3, 4].flatMap((host) => connection(`192.0.2.${host}`).open(97))
  t.deepEqual(
    most.map(({ status }) => status === 'open'),
    most.map((_, index) => index >= 4)
  )
  t.true(others.every(({ status }) => status === 'open'))
  t.deepEqual(floods, [])
})

test('streams whose protocol is known do not count', (t) => {
  const { floods, connection } = counted()
  const busy = connection('192.0.2.1')
  for (let k = 0; k < 4; k++) for (const stream of busy.open(100)) stream.protocol = '/a/1'
  t.deepEqual([busy.isOpen, floods], [true, []])
})

test('of several connections of one source, the one with most streams without a protocol ends', (t) => {
  const { floods, connection } = counted()
  const honest = connection('192.0.2.1', 'honest')
  const hostile = connection('192.0.2.1', 'hostile')
  hostile.open(100)
  honest.open(29)
  t.deepEqual([honest.isOpen, hostile.isOpen, floods.length], [true, false, 1])
})
