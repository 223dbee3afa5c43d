/**
 * Data channels between real peers: the same vectors arrive as over the stream of libp2p, whatever happens to the
 * channel.
 */
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { setTimeout as delay } from 'node:timers/promises'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { bodyOf, hashText } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { connectAll, eventually, graph, schemaOf, testCluster, type TestNode } from '../../cluster.test.support.js'
import type { PeerOptions } from '../../peer.js'

const b = peerName('b')
const elements = 150_000
const large: Partial<PeerOptions> = { runSettings: { settings: { run: 'r' }, schema: schemaOf(elements), start: '0' } }
const never = { channelFrom: Number.POSITIVE_INFINITY }

/** The sockets of all data channels of this process, until the test ends. */
function watchChannels(t: ExecutionContext): readonly TLSSocket[] {
  const sockets: TLSSocket[] = []
  const { setKeepAlive } = Socket.prototype
  Socket.prototype.setKeepAlive = function (...settings) {
    if (this instanceof TLSSocket) sockets.push(this)
    return setKeepAlive.apply(this, settings)
  }
  t.teardown(() => (Socket.prototype.setKeepAlive = setKeepAlive))
  return sockets
}

const numbers = (round: number) =>
  Float32Array.from({ length: elements }, (_, k) => Math.sin(k + round) * (1 + (k % 7)))

async function send({ peer }: TestNode, round: number, change = {}): Promise<void> {
  const message = { kind: 1, round, vector: numbers(round), ...change }
  await eventually('room in the queue', () => peer.fabric.send(b, message) === 'queued')
}

async function receive({ peer }: TestNode) {
  const envelope = await peer.fabric.receive(peer.fabric.now() + timeLimit(20_000))
  if (envelope === undefined) throw new Error('nothing came')
  return envelope.message
}

const usesChannel = ({ peer }: TestNode) => peer.neighbours()[0].channel

/** Sends vectors until one has gone over a data channel; returns the next round. */
async function untilMoved(left: TestNode, right: TestNode): Promise<number> {
  for (let round = 0; ; round++) {
    await send(left, round, { kind: 9, vector: new Float32Array(1) })
    await receive(right)
    if (usesChannel(left)) return round + 1
    await delay(10)
  }
}

/** A message with a hash instead of its vector, which is fast to compare. */
const readable = ({ vector, ...rest }: VectorMessage) => ({
  ...rest,
  vector: hashText(Buffer.from(bodyOf(vector)).toString('hex'))
})

const isSame = (vector: Float32Array, round: number) => Buffer.compare(bodyOf(vector), bodyOf(numbers(round))) === 0

/** The traffic that was sent, once all of it is received and counted. */
function settled(left: TestNode, right: TestNode) {
  return eventually('as much is received as is sent', () => {
    const { sent } = left.peer.traffic()
    return left.peer.neighbours()[0].queue === 0 && sent.payload === right.peer.traffic().received.payload && sent
  })
}

/** Later from round to round, also beyond the last number. */
const epochIn = (round: number) => (65_533 + round) % 65_536

/**
 * The messages of six rounds, with fields, parts, epochs, numbers and ranges, and their traffic; over a data channel
 * unless `limits` prevent it.
 */
async function exchanged(t: ExecutionContext, changes: Partial<PeerOptions>) {
  const nodes = await testCluster(t, graph(['a', 'b']), { ...large, ...changes })
  const [left, right] = nodes
  await connectAll(nodes)
  if (changes.limits === undefined) await untilMoved(left, right)
  const before = await settled(left, right)
  const arrived: ReturnType<typeof readable>[] = []
  for (let round = 0; round < 6; round++) {
    const epoch = epochIn(round)
    await send(left, round, { field: 1, part: round, epoch, numbers: [round, 0.1] })
    arrived.push(readable(await receive(right)))
    await send(left, round, { kind: 2, epoch, offset: 70_000, vector: numbers(round).subarray(70_000), packed: true })
    arrived.push(readable(await receive(right)))
    await send(left, round, { kind: 3, epoch, offset: 7, vector: Float32Array.of(round) })
    arrived.push(readable(await receive(right)))
  }
  const sent = await settled(left, right)
  const payload = sent.payload - before.payload
  return { arrived, moved: usesChannel(left), payload, overhead: sent.overhead - before.overhead }
}

for (const codec of ['float32', 'float16', 'int8', 'delta-int8', 'top-k:0.01']) {
  test.serial(
    `vectors in ${codec} are the same by a data channel and by libp2p’s stream, with epochs and bytes`,
    async (t) => {
      const channel = await exchanged(t, { codec })
      const stream = await exchanged(t, { codec, limits: never })
      t.deepEqual([channel.moved, stream.moved], [true, false])
      t.deepEqual(channel.arrived, stream.arrived)
      t.deepEqual(
        channel.arrived.map(({ epoch }) => epoch),
        [0, 1, 2, 3, 4, 5].flatMap((round) => [round, round, round].map(epochIn))
      )
      t.is(channel.payload, stream.payload)
      // The number of acknowledgements and pings varies.
      t.true(Math.abs(channel.overhead - stream.overhead) < 4000, `${channel.overhead} and ${stream.overhead}`)
    }
  )
}

test.serial('short vectors use the stream, and no port is opened for them', async (t) => {
  const sockets = watchChannels(t)
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  for (let round = 0; round < 3; round++) {
    left.peer.fabric.send(b, { kind: 1, round, vector: new Float32Array(8) })
    await receive(right)
  }
  t.deepEqual([sockets.length, usesChannel(left)], [0, false])
})

test.serial('shaped links send everything on the shaped connection', async (t) => {
  const sockets = watchChannels(t)
  const path = { latency: 1, jitter: 0, loss: 0, bandwidth: 1e9, window: 1e9, pipes: [] }
  const links = { path: () => path, access: () => ({ up: 1e9, down: 1e9 }) }
  const nodes = await testCluster(t, graph(['a', 'b']), { ...large, links })
  await connectAll(nodes)
  for (let round = 0; round < 2; round++) {
    await send(nodes[0], round)
    t.true(isSame((await receive(nodes[1])).vector, round))
  }
  t.is(sockets.length, 0)
})

test.serial('a channel that breaks within vectors loses and repeats none, and is replaced', async (t) => {
  const sockets = watchChannels(t)
  const nodes = await testCluster(t, graph(['a', 'b']), large)
  const [left, right] = nodes
  await connectAll(nodes)
  const first = await untilMoved(left, right)
  const count = 24
  let arrived = 0
  const sending = (async () => {
    for (let round = first; round < first + count; round++) await send(left, round)
  })()
  for (let round = first; round < first + count; round++) {
    const message = await receive(right)
    t.is(message.round, round)
    t.true(isSame(message.vector, round))
    right.peer.fabric.recycle(message)
    if (++arrived === 4) for (const socket of sockets) socket.destroy()
  }
  await sending
  await untilMoved(left, right)
  t.deepEqual(
    [left, right].map(({ peer }) => peer.neighbours()[0].faults.kinds),
    [{}, {}]
  )
})

test.serial('a closed peer leaves no open socket and no port', async (t) => {
  const sockets = watchChannels(t)
  const nodes = await testCluster(t, graph(['a', 'b']), large)
  await connectAll(nodes)
  await untilMoved(nodes[0], nodes[1])
  await Promise.all(nodes.map(({ peer }) => peer.close()))
  await eventually('all sockets are closed', () => sockets.length >= 2 && sockets.every((socket) => socket.closed))
  t.pass()
})
