/** libp2p's write buffers are unbounded, and `onDrain`, which should give back-pressure, works only once. */
import type { MessageStream } from '@libp2p/interface'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { AbstractMessageStream } from '#platform/libraries/base.js'
import { waitingBytes } from '../vectors/frame-output.js'
import { connectAll, testCluster, graph } from '../cluster.test.support.js'
import { proxyOf } from '../tcp-proxy.test.support.js'
import { barePair, MiB } from './bare.test.support.js'
import { large, receiveAll, sendAll, upTo } from './exchange.test.support.js'

const b = peerName('b')
const edge = graph(['a', 'b'])
const streamWindow = MiB
const count = 6
const bytes = 16 * MiB
/** All vectors may be in flight at once, so that only the writer bounds the buffered bytes. */
const limits = { window: 8, mailbox: 8, sendQueue: 8, streamWindow, channelFrom: Number.POSITIVE_INFINITY }
/** A waiting piece, a piece that is being added, and a window. All sent bytes are 32 times as many. */
const bound = 2 * waitingBytes + streamWindow

/** Watches the write buffers of all streams and connections of this process, until the test ends. */
function watchWrites(t: ExecutionContext) {
  const { send } = AbstractMessageStream.prototype
  const seen = { most: 0, bytes: 0 }
  AbstractMessageStream.prototype.send = function (this: MessageStream, data) {
    const more = send.call(this, data)
    seen.bytes += data.byteLength
    seen.most = Math.max(seen.most, this.writeBufferLength)
    return more
  }
  t.teardown(() => (AbstractMessageStream.prototype.send = send))
  return seen
}

test.serial('libp2p 3.3: a writer that awaits onDrain() buffers nearly all that it has', async (t) => {
  const { near, far } = await barePair(t)
  far.addEventListener('message', () => {})
  const seen = watchWrites(t)
  for (let sent = 0; sent < 64 * MiB; sent += MiB) if (!near.send(new Uint8Array(MiB))) await near.onDrain()
  t.true(seen.most > 32 * MiB, `${seen.most} bytes at most`)
})

test.serial('a sender of large vectors has at most a frame and a window in the write buffers', async (t) => {
  const seen = watchWrites(t)
  const [left, right] = await testCluster(t, edge, large(bytes, limits))
  await connectAll([left, right])
  const [rounds] = await Promise.all([receiveAll(right, count), sendAll(left, b, bytes, count)])
  t.deepEqual(rounds, upTo(count))
  t.true(seen.bytes >= count * bytes, 'the test sees what is sent')
  t.true(seen.most <= bound, `${seen.most} bytes at most, ${bound} allowed`)
})

test.serial('also when the network is frozen', async (t) => {
  const [left, right] = await testCluster(t, edge, large(bytes, limits))
  const proxies = await Promise.all([left, right].map((each) => proxyOf(t, each)))
  const peerList = proxies.map(({ entry }) => entry)
  await Promise.all([left, right].map(({ peer }) => peer.connect(peerList, timeLimit(10_000))))
  const [first] = await Promise.all([receiveAll(right, 2), sendAll(left, b, bytes, 2)])
  t.deepEqual(first, upTo(2))
  for (const proxy of proxies) proxy.freeze()
  const seen = watchWrites(t)
  await sendAll(left, b, bytes, count, 2)
  await left.peer.fabric.sleep(left.peer.fabric.now() + 500)
  t.true(seen.bytes > 0 && seen.most <= bound, `${seen.most} bytes at most, ${bound} allowed`)
  for (const proxy of proxies) proxy.thaw()
  t.deepEqual(
    await receiveAll(right, count),
    upTo(count).map((round) => round + 2)
  )
})
