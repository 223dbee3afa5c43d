/** libp2p's connection monitor cuts the connection to a peer when its event loop is busy for some seconds. */
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test from 'ava'
import { testNode, eventually, graph, peerListOf } from '../../cluster.test.support.js'
import { bareNode, bareStream, MiB, portOf } from '../bare.test.support.js'
import { blockedChild } from './blocked-child.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo } from '../exchange.test.support.js'
import { proxyTo } from '../../tcp-proxy.test.support.js'

const b = peerName('b')

test('libp2p 3.3: the connection to a peer that does not answer a ping in time is cut', async (t) => {
  // By default 10 and 5 seconds. On a busy machine an answer must have time to arrive, unless the peer is blocked.
  const connectionMonitor = {
    pingInterval: 1000,
    pingTimeout: { minTimeout: 4000, maxTimeout: 4000 }
  }
  const here = await bareNode(t, { connectionMonitor })
  const there = await bareNode(t)
  const proxy = await proxyTo(t, portOf(there.getMultiaddrs()))
  const { near } = await bareStream(here, there, proxy.port)
  proxy.freeze()
  await eventually('the connection is cut', () => here.getConnections().length === 0)
  t.not(near.status, 'open')
})

test('a peer that is blocked for 10 s loses no connection, and the exchange continues', async (t) => {
  const bytes = 4 * MiB
  const before = 3
  const during = 5
  const after = 3
  const limits = { window: 2, mailbox: 2, sendQueue: 8, silentAfter: 3_000 }
  const begun = performance.now()
  const left = await testNode(t, graph(['a', 'b']), 'a', large(bytes, limits))
  // The child's own bound is shorter than its step: it must not count the time in which it cannot receive.
  const child = await blockedChild(t, bytes, { ...limits, deadAfter: 6_000 })
  const peerList = [...peerListOf([left]), child.entry]
  child.connect(peerList)
  await left.peer.connect(peerList, timeLimit(10_000))
  const [, first] = await Promise.all([sendAll(left, b, bytes, before), receiveAll(left, before)])
  t.deepEqual(first, upTo(before))
  // libp2p's monitor would ping 10 s after the start, and wait 5 s for the answer.
  await left.peer.fabric.sleep(begun + 7_000)
  await child.block(10_000)
  await sendAll(left, b, bytes, during, before)
  await eventually('silence', () => left.peer.neighbours()[0].state === 'silent')
  const second = await receiveAll(left, during)
  t.true(child.over(), 'no answer while the child was blocked')
  await sendAll(left, b, bytes, after, before + during)
  const third = await receiveAll(left, after)
  t.deepEqual([...first, ...second, ...third], upTo(before + during + after))
  t.deepEqual(
    troubleOf(left).filter(({ kind }) => kind !== 'silent'),
    []
  )
  t.deepEqual(troubleOf(child), [])
})
