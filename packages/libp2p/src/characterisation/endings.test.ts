/** libp2p ends streams and connections "cleanly" with data missing: when closing takes long, and behind some relays. */
import type { MessageStream, Stream } from '@libp2p/interface'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { AbstractMessageStream } from '#platform/libraries/base.js'
import type { Limits } from '../base/constants.js'
import { type TestNode, testNode, eventually, graph, peerListOf } from '../cluster.test.support.js'
import { bareNode, bareStream, MiB, portOf } from './bare.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo } from './exchange.test.support.js'
import { proxyTo, type TcpProxy } from '../tcp-proxy.test.support.js'

const b = peerName('b')

/** A peer "a" that dials "b" through a proxy and cannot be dialled, so that all its vectors pass the proxy. */
async function proxied(
  t: ExecutionContext,
  bytes: number,
  limits: Partial<Limits>
): Promise<[TestNode, TestNode, TcpProxy]> {
  const edge = graph(['a', 'b'])
  const left = await testNode(t, edge, 'a', { ...large(bytes, limits), listen: [] })
  const right = await testNode(t, edge, 'b', large(bytes, limits))
  const proxy = await proxyTo(t, portOf(right.peer.addresses))
  const [own, other] = peerListOf([left, right])
  // Only the left peer dials, through the proxy.
  const peerList = [
    { ...own, addresses: [] },
    { ...other, addresses: [`/ip4/127.0.0.1/tcp/${proxy.port}`] }
  ]
  await Promise.all([left, right].map(({ peer }) => peer.connect(peerList, timeLimit(10_000))))
  return [left, right, proxy]
}

test('libp2p 3.3: data that takes more than a second to write is lost when the node stops', async (t) => {
  const here = await bareNode(t)
  const there = await bareNode(t)
  const proxy = await proxyTo(t, portOf(there.getMultiaddrs()))
  const { near, far } = await bareStream(here, there, proxy.port)
  let received = 0
  far.addEventListener('message', ({ data }) => (received += data.byteLength))
  proxy.pace(8 * MiB)
  const bytes = 64 * MiB
  near.send(new Uint8Array(bytes))
  await here.stop()
  await eventually('the end', () => far.status !== 'open')
  t.true(received < bytes, `${received} bytes arrived`)
})

test('vectors that are queued when a peer closes arrive whole, within its timeout', async (t) => {
  const bytes = 4 * MiB
  const count = 8
  const [left, right, proxy] = await proxied(t, bytes, { sendQueue: count, closeTimeout: timeLimit(30_000) })
  const before = right.events.length
  proxy.pace(12 * MiB)
  const receiving = receiveAll(right, count)
  await sendAll(left, b, bytes, count)
  t.true(left.peer.neighbours()[0].queue >= count - 2, 'nearly all of it is still to be sent')
  await left.peer.close()
  t.deepEqual(await receiving, upTo(count))
  t.deepEqual(troubleOf(right, before), [])
})

test('acknowledged vectors have arrived, also after a close with a timeout too short for the rest', async (t) => {
  const bytes = 4 * MiB
  const count = 8
  const limits = { sendQueue: count, window: 2, mailbox: 4, closeTimeout: 200 }
  const [left, right, proxy] = await proxied(t, bytes, limits)
  proxy.pace(8 * MiB)
  await sendAll(left, b, bytes, count)
  await eventually('an acknowledgement', () => left.peer.neighbours()[0].queue < count)
  await left.peer.close()
  const acknowledged = count - left.peer.neighbours()[0].queue
  const rounds = await receiveAll(right, count, 0, 500)
  t.deepEqual(rounds, upTo(rounds.length), 'in order, whole, each once')
  t.true(rounds.length >= acknowledged, `${acknowledged} acknowledged, ${rounds.length} there`)
  t.true(acknowledged >= 1 && rounds.length < count, `the timeout was too short for ${count}`)
})

test('a connection that ends cleanly within a vector delivers no partial vector, and the whole one later', async (t) => {
  const bytes = 2 * MiB
  const [left, right, proxy] = await proxied(t, bytes, {})
  // In the header, soon after it, in the middle, and near the end; then once without a fault.
  const offsets = [10, 700, bytes / 2 + 3, bytes - 5, undefined]
  for (const [round, offset] of offsets.entries()) {
    const ended = offset === undefined ? undefined : proxy.endAfter(offset)
    const receiving = receiveAll(right, 1)
    await sendAll(left, b, bytes, 1, round)
    await ended
    t.deepEqual(await receiving, [round], `ended after ${offset} bytes`)
  }
  t.true(left.events.filter(({ kind }) => kind === 'reconnecting').length >= offsets.length - 1)
  const { received, badFrames, duplicates } = right.peer.traffic()
  t.deepEqual([received.frames, badFrames, duplicates], [offsets.length, 0, 0])
})

/**
 * Closes, as gracefully as libp2p can, the next stream on which this process sends a large piece. Resolves when it
 * does.
 */
function closeInTheMiddle(t: ExecutionContext): Promise<void> {
  const { send } = AbstractMessageStream.prototype
  const isStream = (stream: MessageStream): stream is Stream => 'protocol' in stream
  t.teardown(() => (AbstractMessageStream.prototype.send = send))
  return new Promise((resolve) => {
    AbstractMessageStream.prototype.send = function (this: MessageStream, data) {
      const more = send.call(this, data)
      if (!isStream(this) || data.byteLength < MiB / 4) return more
      AbstractMessageStream.prototype.send = send
      this.close().catch(() => {})
      resolve()
      return more
    }
  })
}

test.serial(
  'a stream that is closed cleanly within a vector delivers no partial vector, and the whole one later',
  async (t) => {
    const bytes = 6 * MiB
    const [left, right] = await proxied(t, bytes, {})
    for (let round = 0; round < 3; round++) {
      const closed = closeInTheMiddle(t)
      const receiving = receiveAll(right, 1)
      await sendAll(left, b, bytes, 1, round)
      await closed
      t.deepEqual(await receiving, [round])
    }
    t.true(left.events.filter(({ kind }) => kind === 'reconnecting').length >= 3)
    const { received, badFrames } = right.peer.traffic()
    t.deepEqual([received.frames, badFrames], [3, 0])
  }
)
