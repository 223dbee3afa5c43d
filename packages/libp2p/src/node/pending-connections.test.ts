import { connect, type Socket } from 'node:net'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { asPending, FakeConnection, fromOne } from '../connections.test.support.js'
import { PendingConnections } from './pending-connections.js'
import { testNode, eventually, testCluster, graph, peerListOf } from '../cluster.test.support.js'

const peers = Array.from({ length: 16 }, (_, index) => `p${index}`)
const star = graph(...peers.map((name) => ['hub', name] as const))

/** Opens `count` connections to `port` that never send anything. */
async function idleSockets(t: ExecutionContext, port: number, count: number): Promise<readonly Socket[]> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await new Promise<void>((resolve) => socket.once('connect', resolve))
      return socket
    })
  )
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  return sockets
}

const portOf = (address: string) => Number(/\/tcp\/(\d+)/.exec(address)?.[1])

test.serial('16 of 16 admitted peers connect despite 200 silent sockets', async (t) => {
  const hub = await testNode(t, star, 'hub')
  const others = await Promise.all(peers.map((name) => testNode(t, star, name)))
  await idleSockets(t, portOf(hub.peer.addresses[0]), 200)
  // Only the sixteen dial, and each call counts.
  const peerList = peerListOf([hub, ...others]).map((entry) =>
    entry.name === 'hub' ? entry : { ...entry, addresses: [] }
  )
  await Promise.all([hub, ...others].map(({ peer }) => peer.connect(peerList, 100_000)))
  t.is(hub.peer.neighbours().filter(({ state }) => state === 'ready').length, 16)
  const failed = others.flatMap(({ events }) => events.filter(({ kind }) => kind === 'reconnecting'))
  t.deepEqual(failed, [], 'none of the sixteen calls failed')
})

test.serial('a connection that does not authenticate in time is closed', async (t) => {
  const [left] = await testCluster(t, graph(['a', 'b']), { limits: { unknownPeerTimeout: 100 } })
  t.is(left.name, peerName('a'))
  const sockets = await idleSockets(t, portOf(left.peer.addresses[0]), 3)
  await eventually('the ends', () => sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded))
})

const pendingAtSeed = () => new PendingConnections({ isKnownHost: () => false }, 60_000, 60_000)

test('one address with many pending connections pushes out only its own', (t) => {
  const pending = pendingAtSeed()
  const honest = new FakeConnection('192.0.2.1', '')
  const many = fromOne('192.0.2.66', 1000)
  for (const connection of [honest, ...many]) pending.add(asPending(connection))
  t.true(honest.isOpen)
  t.is(pending.size, 256)
  t.true(many.slice(-255).every(({ isOpen }) => isOpen))
  for (const connection of [honest, ...many]) connection.abort()
  t.is(pending.size, 0)
})

test('a connection that has proven its id and is not open yet still counts', (t) => {
  const pending = pendingAtSeed()
  const connection = asPending(new FakeConnection('192.0.2.1', ''))
  pending.add(connection)
  pending.authenticated(connection)
  t.is(pending.size, 1)
  pending.remove(connection)
  t.is(pending.size, 0)
})

test('a connection that sends names of protocols without end is closed; once it is open, any number of bytes is read', (t) => {
  const pending = pendingAtSeed()
  const hostile = new FakeConnection('192.0.2.66', '')
  const honest = new FakeConnection('192.0.2.1', '')
  for (const connection of [hostile, honest]) pending.add(asPending(connection))
  for (let k = 0; k < 20 && hostile.isOpen; k++) hostile.onData(new Uint8Array(1000))
  t.deepEqual([hostile.isOpen, hostile.received, pending.size], [false, 16_000, 1])
  honest.onData(new Uint8Array(1000))
  pending.remove(asPending(honest))
  honest.onData(new Uint8Array(100_000))
  t.deepEqual([honest.isOpen, honest.received], [true, 101_000])
})

test('over TCP, too, names of protocols without end close the connection', async (t) => {
  const limits = { unknownPeerTimeout: 600_000, handshakeTimeout: 600_000 }
  const [left] = await testCluster(t, graph(['a', 'b']), { limits })
  const [socket] = await idleSockets(t, portOf(left.peer.addresses[0]), 1)
  socket.write('\u0013/multistream/1.0.0\n')
  socket.write('\u0003/x\n'.repeat(10_000))
  t.true(await eventually('the end', () => socket.destroyed || socket.readableEnded))
})
