/**
 * libp2p's private networks (pnet) crash under bulk traffic in both directions. This package refuses unknown peers by
 * their ids instead.
 */
import { multiaddr } from '@multiformats/multiaddr'
import { timeLimit } from '@murmuration/contract'
import { peerName, RefusedError } from '@murmuration/core'
import test from 'ava'
import { controlProtocol, exchangeProtocol } from '../base/constants.js'
import { testNode, connectAll, eventOf, eventually, testCluster, graph, peerListOf } from '../cluster.test.support.js'
import { bareNode, MiB } from './bare.test.support.js'
import { large, receiveAll, sendAll, runSettingsOf, troubleOf, upTo, vectorOf } from './exchange.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const edge = graph(['a', 'b'])

test('an unknown libp2p node can open no stream, and disturbs no peer', async (t) => {
  const [left, right] = await testCluster(t, edge, large(MiB))
  await connectAll([left, right])
  const before = left.events.length
  const unknown = await bareNode(t)
  for (const protocol of [controlProtocol, exchangeProtocol]) {
    const address = multiaddr(left.peer.addresses[0])
    await t.throwsAsync(unknown.dialProtocol(address, protocol, { signal: AbortSignal.timeout(timeLimit(8_000)) }))
    await eventually('no connection', () => unknown.getConnections().length === 0)
  }
  t.like(await eventOf(left, 'unknown-peer-refused'), {
    id: unknown.peerId.toString(),
    reason: 'it is not in the peer list'
  })
  const [rounds] = await Promise.all([receiveAll(right, 3), sendAll(left, b, MiB, 3)])
  t.deepEqual(rounds, upTo(3))
  t.deepEqual(troubleOf(left, before), [])
})

test('a peer of another run is refused though its identity is valid, and nothing from it arrives', async (t) => {
  const left = await testNode(t, edge, 'a', large(MiB))
  const right = await testNode(t, edge, 'b', {
    runSettings: { ...runSettingsOf(MiB), settings: { run: 'another' } }
  })
  const peerList = peerListOf([left, right])
  const refused = { instanceOf: RefusedError, message: /the settings differ: run is/ }
  const connecting = [left, right].map(({ peer }) => t.throwsAsync(peer.connect(peerList, timeLimit(10_000)), refused))
  await Promise.all(connecting)
  t.is(left.peer.fabric.send(b, { kind: 0, round: 0, vector: vectorOf(0, MiB) }), 'unreachable')
  t.is(right.peer.fabric.send(a, { kind: 0, round: 0, vector: vectorOf(0, MiB) }), 'unreachable')
  t.deepEqual(
    [left, right].map(({ peer }) => peer.traffic().received.frames),
    [0, 0]
  )
})

test('20 vectors of 8 MiB are sent both ways at once, and each arrives whole', async (t) => {
  const bytes = 8 * MiB
  const count = 20
  const [left, right] = await testCluster(t, edge, large(bytes))
  await connectAll([left, right])
  const [, , there, here] = await Promise.all([
    sendAll(left, b, bytes, count),
    sendAll(right, a, bytes, count),
    receiveAll(right, count),
    receiveAll(left, count)
  ])
  t.deepEqual([here, there], [upTo(count), upTo(count)])
  t.deepEqual(
    [left, right].flatMap((each) => troubleOf(each)),
    []
  )
  for (const { peer } of [left, right]) {
    const { sent, received, duplicates, retransmissions } = peer.traffic()
    t.deepEqual([sent.payload, received.payload], [count * bytes, count * bytes])
    t.deepEqual([duplicates, retransmissions], [0, 0])
  }
})
