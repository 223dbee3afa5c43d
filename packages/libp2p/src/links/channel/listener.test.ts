import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { multiaddr } from '@multiformats/multiaddr'
import { timeLimit } from '@murmuration/contract'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../cluster.test.support.js'
import { hostFor, listeningHosts, tcpHost } from '../../addresses/channel-address.js'
import { type ChannelCall, dialChannel } from './dial.js'
import { ChannelListener, type ChannelOffer } from './listener.js'

// OpenSSL 3.5 prefers X25519MLKEM768, whose ephemeral keys Node.js 22 does not report.
tls.DEFAULT_ECDH_CURVE = 'X25519'

const host = '127.0.0.1'
const listen = ['/ip4/127.0.0.1/tcp/4001']
const wait = timeLimit(10_000)

function listener(t: ExecutionContext, timeout = wait): ChannelListener {
  const channels = new ChannelListener(listen, timeout)
  t.teardown(() => channels.close())
  return channels
}

async function offerOf(channels: ChannelListener): Promise<ChannelOffer> {
  const offer = await channels.offer(host)
  if (offer === undefined) throw new Error('no offer')
  return offer
}

/** A call, and the bytes received on it. */
function call(t: ExecutionContext, offer: Pick<ChannelCall, 'port' | 'id' | 'key'>, limit = wait) {
  const bytes = new Uint8Array(1 << 20)
  let filled = 0
  const { port, id, key } = offer
  const sink = {
    get destination() {
      return bytes.subarray(filled, filled + 1000)
    },
    advance: (count: number) => void (filled += count)
  }
  // A copy of the key: the listener must not share it.
  const socket = dialChannel({ host, port, id, key: Uint8Array.from(key) }, limit, sink)
  t.teardown(() => socket.destroy())
  return { socket, received: () => bytes.subarray(0, filled) }
}

const isSecure = async (socket: TLSSocket): Promise<boolean> =>
  once(socket, 'secureConnect').then(
    () => true,
    () => false
  )

test('a caller with the key is accepted, by TLS 1.3 with ephemeral keys, and receives what is written', async (t) => {
  const offer = await offerOf(listener(t))
  const { socket, received } = call(t, offer)
  const taken = await offer.taken
  t.is(socket.getProtocol(), 'TLSv1.3')
  t.is(socket.getCipher().name, 'TLS_AES_128_GCM_SHA256')
  t.like(socket.getEphemeralKeyInfo(), { type: 'ECDH', name: 'X25519' })
  const sent = randomBytes(300_000)
  taken?.write(sent)
  await eventually('all bytes', () => received().byteLength === sent.byteLength)
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  t.is(hash(received()), hash(sent))
})

test('a wrong key is refused, ends the offer, and looks like an unknown id', async (t) => {
  const offer = await offerOf(listener(t))
  const { socket } = call(t, { ...offer, key: randomBytes(32) })
  t.is(await offer.taken, undefined)
  t.false(await isSecure(socket))
  t.false(await isSecure(call(t, offer).socket))
})

test('a key is valid for one call; a replay is refused', async (t) => {
  const channels = listener(t)
  const offer = await offerOf(channels)
  // Another open offer, so that callers are not closed at once.
  await offerOf(channels)
  t.true(await isSecure(call(t, offer).socket))
  t.not(await offer.taken, undefined)
  t.false(await isSecure(call(t, offer).socket))
})

test('a key that was not offered is refused, and the offered ones stay valid', async (t) => {
  const offer = await offerOf(listener(t))
  t.false(await isSecure(call(t, { ...offer, id: '0'.repeat(32) }).socket))
  t.true(await isSecure(call(t, offer).socket))
})

test('an offer expires, and a withdrawn one is invalid', async (t) => {
  const channels = listener(t, 50)
  const offer = await offerOf(channels)
  t.is(await offer.taken, undefined)
  const patient = listener(t)
  const withdrawn = await offerOf(patient)
  withdrawn.withdraw()
  t.is(await withdrawn.taken, undefined)
  await offerOf(patient)
  t.false(await isSecure(call(t, withdrawn).socket))
})

test('without an open offer, callers are disconnected at once', async (t) => {
  const channels = listener(t)
  const offer = await offerOf(channels)
  offer.withdraw()
  const scanner = connectTcp(offer.port, host)
  scanner.on('error', () => {})
  await once(scanner, 'close')
  t.is(channels.unproven, 0)
})

test('silent callers are bounded, and make room for a caller with a key', async (t) => {
  const channels = listener(t)
  const first = await offerOf(channels)
  const silent = await silentCallers(t, first.port, 100)
  await eventually('36 are gone', () => silent.filter((socket) => socket.closed).length >= 36)
  t.is(channels.unproven, 64)
  const offer = await offerOf(channels)
  t.true(await isSecure(call(t, offer).socket))
})

test('silent callers are disconnected', async (t) => {
  const channels = listener(t, timeLimit(300))
  const { port } = await offerOf(channels)
  const silent = await silentCallers(t, port, 3)
  await eventually('all are gone', () => silent.every((socket) => socket.closed))
  t.is(channels.unproven, 0)
})

/** Connections that say nothing. */
async function silentCallers(t: ExecutionContext, port: number, count: number): Promise<readonly Socket[]> {
  const silent: Socket[] = []
  t.teardown(() => silent.forEach((socket) => socket.destroy()))
  for (let k = 0; k < count; k++) {
    const socket = connectTcp(port, host)
    socket.on('error', () => {})
    silent.push(socket)
    await once(socket, 'connect')
  }
  return silent
}

test('silent callers of one address push out only their own', async (t) => {
  const channels = listener(t)
  const { port } = await offerOf(channels)
  const open = async (localAddress: string) => {
    const socket = connectTcp({ port, host, localAddress })
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const patient = await open('127.0.0.3')
  const many: Socket[] = []
  for (let k = 0; k < 70; k++) many.push(await open('127.0.0.2'))
  await eventually('7 are gone', () => many.filter((socket) => socket.closed).length >= 7)
  t.deepEqual([patient.closed, channels.unproven], [false, 64])
})

test('a caller without TLS is disconnected', async (t) => {
  const offer = await offerOf(listener(t))
  const socket = connectTcp(offer.port, host)
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'close')
  t.true(await isSecure(call(t, offer).socket))
})

test('no port is open before the first offer, and none after the close', async (t) => {
  const channels = listener(t)
  t.deepEqual(await channels.ports(), [])
  const { port, taken } = await offerOf(channels)
  t.deepEqual(await channels.ports(), [port])
  await channels.close()
  t.is(await taken, undefined)
  t.is(await channels.offer(host), undefined)
  const late = connectTcp(port, host)
  const [error] = await once(late, 'error')
  t.is(error.code, 'ECONNREFUSED')
})

test('an unanswered call ends at its timeout', async (t) => {
  const mute = createServer((socket) => socket.on('error', () => {}))
  await once(mute.listen(0, host), 'listening')
  t.teardown(() => mute.close())
  const { port } = mute.address() as AddressInfo
  const { socket } = call(t, { port, id: '0'.repeat(32), key: randomBytes(32) }, 50)
  await once(socket, 'close')
  t.pass()
})

test('the port is opened at the address that the neighbour reaches', (t) => {
  t.deepEqual(listeningHosts(['/ip4/10.0.0.5/tcp/1', '/ip4/10.0.0.5/tcp/2', '/ip4/127.0.0.1/tcp/1/ws']), ['10.0.0.5'])
  t.is(hostFor(['127.0.0.1', '10.0.0.5'], '10.0.0.9'), '10.0.0.5')
  t.is(hostFor(['127.0.0.1', '10.0.0.5'], '127.0.0.1'), '127.0.0.1')
  t.is(hostFor(['127.0.0.1'], '10.0.0.9'), undefined)
  t.is(hostFor(['0.0.0.0', '::'], '10.0.0.9'), '0.0.0.0')
  t.is(hostFor(['0.0.0.0', '::'], 'fe80::1'), '::')
  t.is(hostFor(['::'], '10.0.0.9'), '::')
  t.is(hostFor([], '10.0.0.9'), undefined)
})

test('only the far end of a plain TCP connection has an address to call', (t) => {
  const id = '12D3KooWSoiSXjbFydhdz2qVHnDUUt77YNjs6SXxJQSpe94sDfEd'
  t.is(tcpHost(multiaddr(`/ip4/10.0.0.5/tcp/4001/p2p/${id}`)), '10.0.0.5')
  t.is(tcpHost(multiaddr('/ip6/2001:db8::5/tcp/4001')), '2001:db8::5')
  for (const other of [
    `/ip4/10.0.0.5/tcp/1/p2p/${id}/p2p-circuit/p2p/${id}`,
    '/ip4/10.0.0.5/tcp/1/ws',
    '/dns4/x.org/tcp/1'
  ]) {
    t.is(tcpHost(multiaddr(other)), undefined)
  }
})
