/**
 * libp2p has no back-pressure from a reader that does not read, and its `pause()`, which would give it, breaks streams.
 */
import type { Stream } from '@libp2p/interface'
import { peerName } from '@murmuration/core'
import test from 'ava'
import { connectAll, eventually, testCluster, graph } from '../cluster.test.support.js'
import { barePair, MiB } from './bare.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo, vectorOf } from './exchange.test.support.js'

const [b, c] = ['b', 'c'].map(peerName)
const edge = graph(['a', 'b'])

/** Watches a stream. Returns a function that waits for its end and gives the reason. */
function endOf(stream: Stream): () => Promise<string> {
  let reason: string | undefined
  stream.addEventListener('close', ({ error }) => (reason = String(error)))
  return () => eventually('the end of the stream', () => reason)
}

test('libp2p 3.3: a reader that has stopped within its loop still gets everything', async (t) => {
  const stream = { maxStreamWindowSize: MiB / 4 }
  const { near, far } = await barePair(t, { stream }, { stream })
  const reading = far[Symbol.asyncIterator]()
  const first = reading.next()
  for (let sent = 0; sent < 8; sent++) near.send(new Uint8Array(MiB))
  await first
  await eventually('all is written', () => near.writeBufferLength === 0)
  t.is(far.status, 'open')
})

test('libp2p 3.3: a paused stream is reset when its window is larger than its read buffer', async (t) => {
  // The window grows up to 16 MiB at a varying speed, so it begins with 8 here.
  const stream = { initialStreamWindowSize: 8 * MiB }
  const { near, far } = await barePair(t, { stream }, { stream })
  far.addEventListener('message', () => {})
  const reason = endOf(far)
  far.pause()
  near.send(new Uint8Array(8 * MiB))
  t.regex(await reason(), /exceeded limit of 4194304, read status is paused/)
})

test('libp2p 3.3: pause() within a message of resume() does not hold the sender back', async (t) => {
  const stream = { maxStreamWindowSize: MiB / 4, maxReadBufferLength: MiB }
  const { near, far } = await barePair(t, { stream }, { stream })
  far.addEventListener('message', () => far.pause())
  const reason = endOf(far)
  far.pause()
  near.send(new Uint8Array(8 * MiB))
  await eventually('a window is full', () => far.readBufferLength >= MiB / 4)
  far.resume()
  t.regex(await reason(), /exceeded limit of 1048576, read status is paused/)
})

test('a peer that takes nothing from its mailbox receives a bounded number of frames', async (t) => {
  const bytes = MiB
  const window = 2
  const mailbox = 3
  const sendQueue = 4
  const limits = { window, mailbox, sendQueue }
  const [left, slow, quick] = await testCluster(t, graph(['a', 'b'], ['a', 'c']), large(bytes, limits))
  await connectAll([left, slow, quick])
  const { fabric } = left.peer
  // The exchange with a neighbour that reads shows that there was enough time.
  for (let round = 0; round < 30; round++) {
    while (fabric.send(b, { kind: 0, round, vector: vectorOf(round, bytes) }) === 'queued');
    while (fabric.send(c, { kind: 0, round, vector: vectorOf(round, bytes) }) !== 'queued')
      await fabric.sleep(fabric.now() + 1)
    t.is((await quick.peer.fabric.receive())?.message.round, round)
  }
  t.is(fabric.send(b, { kind: 0, round: 0, vector: vectorOf(0, bytes) }), 'full')
  const { received } = slow.peer.traffic()
  // One frame beyond the granted ones may have arrived in part.
  const most = mailbox + window + 1
  t.true(received.frames >= 1 && received.frames <= most, `${received.frames} frames arrived, expected at most ${most}`)
  t.true(received.payload + received.overhead <= (most + 0.5) * bytes, `${JSON.stringify(received)}`)
  t.deepEqual(
    [slow, left].flatMap((each) => troubleOf(each)),
    []
  )
})

for (const streamWindow of [MiB, 16 * MiB]) {
  const bytes = 24 * MiB
  test(`vectors beyond buffer and window (${streamWindow / MiB} MiB) reach a slow reader without a reset`, async (t) => {
    const [left, right] = await testCluster(
      t,
      edge,
      large(bytes, { streamWindow, window: 2, mailbox: 1, sendQueue: 3 })
    )
    await connectAll([left, right])
    const [rounds] = await Promise.all([receiveAll(right, 4, 150), sendAll(left, b, bytes, 4)])
    t.deepEqual(rounds, upTo(4))
    t.deepEqual(
      [left, right].flatMap((each) => troubleOf(each)),
      []
    )
  })
}
