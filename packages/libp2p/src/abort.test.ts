import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { connectAll, eventOf, eventually, graph, peerListOf, testNode } from './cluster.test.support.js'
import type { PeerEvent } from './base/events.js'
import { createIdentity } from './base/identity.js'

const pair = graph(['a', 'b'])
const reason = new Error('the user closed the window')

function controllerOf() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (value?: unknown) => controller.abort(value) }
}

/** What a promise rejects with; `undefined` if it resolves. */
async function thrownBy(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

/** Whether anything listens at a multiaddr. */
function listensAt(address: string): Promise<boolean> {
  const port = Number(/\/tcp\/(\d+)/.exec(address)?.[1])
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

async function closed([address]: readonly string[]): Promise<void> {
  let isOpen = true
  await eventually(`nothing listens at ${address}`, () => {
    void listensAt(address).then((found) => (isOpen = found))
    return !isOpen
  })
}

test('an aborted signal rejects createPeer with its reason, before anything starts', async (t) => {
  const events: PeerEvent[] = []
  const signal = AbortSignal.abort('any value')
  t.is(await thrownBy(testNode(t, pair, 'a', { signal, onEvent: (event) => events.push(event) })), 'any value')
  t.deepEqual(events, [])
  t.is(getEventListeners(signal, 'abort').length, 0)
})

test('an abort while a peer starts rejects createPeer and closes the node', async (t) => {
  const { signal, abort } = controllerOf()
  let addresses: readonly string[] = []
  const onEvent = (event: PeerEvent) => {
    if (event.kind !== 'listening') return
    addresses = event.addresses
    abort(reason)
  }
  t.is(await thrownBy(testNode(t, pair, 'a', { signal, onEvent })), reason)
  t.false(await listensAt(addresses[0]))
  t.is(getEventListeners(signal, 'abort').length, 0)
})

test('an abort ends all waits of a peer with its reason, and closes it', async (t) => {
  const { signal, abort } = controllerOf()
  const { peer } = await testNode(t, pair, 'a', { signal })
  const { id } = await createIdentity()
  const absent = { name: pair.peers[1], id, addresses: ['/ip4/127.0.0.1/tcp/9'] }
  const waits = [peer.connect([absent], timeLimit(60_000)), peer.fabric.receive(), peer.fabric.sleep(1e9)]
  const { addresses } = peer
  t.is(getEventListeners(signal, 'abort').length, 1)
  abort(reason)
  for (const wait of waits) t.is(await thrownBy(wait), reason)
  await closed(addresses)
  t.is(getEventListeners(signal, 'abort').length, 0)
})

test('neighbours of an aborted peer hear that it was stopped, also where its program closes it', async (t) => {
  const { signal, abort } = controllerOf()
  const nodes = [await testNode(t, pair, 'a', { signal }), await testNode(t, pair, 'b')]
  await connectAll(nodes)
  abort()
  await nodes[0].peer.close()
  t.like(await eventOf(nodes[1], 'left'), { peer: 'a', reason: 'stopped' })
  t.is(await thrownBy(nodes[0].peer.fabric.receive()), signal.reason)
  t.is(signal.reason.name, 'AbortError')
})

test('a peer that was closed has no listener at its signal', async (t) => {
  const { signal } = new AbortController()
  const { peer } = await testNode(t, pair, 'a', { signal })
  await peer.close()
  t.is(getEventListeners(signal, 'abort').length, 0)
})

test('an event listener that throws while the peer starts rejects createPeer, and the node is closed', async (t) => {
  let addresses: readonly string[] = []
  const onEvent = (event: PeerEvent) => {
    if (event.kind === 'listening') addresses = event.addresses
    throw reason
  }
  t.is(await thrownBy(testNode(t, pair, 'a', { onEvent })), reason)
  t.false(await listensAt(addresses[0]))
})

test('an event listener that throws later ends the waits with its error, is not called again, and the peer closes', async (t) => {
  const after: PeerEvent[] = []
  let hasThrown = false
  const onEvent = (event: PeerEvent) => {
    if (hasThrown) after.push(event)
    if (event.kind !== 'ready') return
    hasThrown = true
    throw reason
  }
  const nodes = [await testNode(t, pair, 'a', { onEvent }), await testNode(t, pair, 'b')]
  const [{ peer }] = nodes
  const { addresses } = peer
  const waits = [peer.connect(peerListOf(nodes), timeLimit(10_000)), peer.fabric.receive()]
  void nodes[1].peer.connect(peerListOf(nodes), timeLimit(10_000)).catch(() => {})
  for (const wait of waits) t.is(await thrownBy(wait), reason)
  await closed(addresses)
  t.deepEqual(after, [])
})
