import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { KernelMemory, weightedSum } from '@murmuration/vectors'
import test from 'ava'
import { type TestNode, connectAll, eventually, testCluster, graph, schemaOf } from './cluster.test.support.js'
import { links } from './shaping/wire.test.support.js'

const elements = 600_000
const runSettings = { settings: { run: 'r' }, schema: schemaOf(elements), start: '0' }

/** Sends, receives from all, averages in place, and releases all vectors, as algorithms do. */
async function exchange({ peer, name }: TestNode, rounds: number, t: { true(value: boolean): unknown }): Promise<void> {
  const { fabric } = peer
  const { sendTo } = fabric.neighbours(0)
  for (let round = 0; round < rounds; round++) {
    const own = fabric.allocate(elements).fill(name.charCodeAt(0))
    for (const { name: to } of sendTo) fabric.send(to, { kind: 0, round, vector: own })
    for (let k = 0; k < sendTo.length; k++) {
      const envelope = await fabric.receive(fabric.now() + timeLimit(20_000))
      if (envelope === undefined) throw new Error(`${name} timed out in round ${round}`)
      const { message, from } = envelope
      t.true(KernelMemory.of(message.vector) !== undefined && KernelMemory.of(message.vector) === KernelMemory.of(own))
      weightedSum(message.vector, [
        { weight: 0.5, vector: own },
        { weight: 0.5, vector: message.vector }
      ])
      t.true(message.vector[elements - 1] === (name.charCodeAt(0) + from.charCodeAt(0)) / 2)
      fabric.recycle(message)
    }
    fabric.free(own)
  }
}

for (const [way, limits, most] of [
  ['each byte that comes by the stream is copied once', { channelFrom: Number.POSITIVE_INFINITY }, 1],
  // The copies are those of vectors that arrived over the stream before the channel was open.
  ['none that comes by a data channel', {}, 0.5]
] as const) {
  test(`no vector is allocated after the handshake, and ${way}`, async (t) => {
    const nodes = await testCluster(t, graph(['a', 'b'], ['b', 'c'], ['c', 'a']), { runSettings, limits })
    await connectAll(nodes)
    await Promise.all(nodes.map((each) => exchange(each, 12, t)))
    const copies = nodes.map(({ peer }) => {
      const { received, copied } = peer.traffic()
      t.is(peer.vectorsBeyond, 0)
      t.is(received.frames, 24)
      t.is(received.payload, 24 * 4 * elements)
      return copied / received.payload
    })
    // Headers are copied too: 40 bytes for 256 KiB.
    t.true(Math.max(...copies) < 1.0003 * most, `${copies} copies`)
    t.true(most < 1 || Math.min(...copies) >= 1)
  })
}

test('a receiver that keeps its vectors gets new memory, and kept vectors do not change', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']), {
    runSettings: { ...runSettings, schema: schemaOf(8) }
  })
  await connectAll([left, right])
  const kept: Float32Array[] = []
  for (let round = 0; round < 40; round++) {
    left.peer.fabric.send(peerName('b'), { kind: 0, round, vector: new Float32Array(8).fill(round) })
    const envelope = await right.peer.fabric.receive()
    if (envelope !== undefined) kept.push(envelope.message.vector)
  }
  t.true(kept.every((vector, round) => vector.every((value) => value === round)))
  t.true(right.peer.vectorsBeyond > 0)
})

test('memory that is released right after sending is not reused before it is sent', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']), { runSettings })
  await connectAll([left, right])
  const { fabric } = left.peer
  for (let round = 0; round < 8; round++) {
    const vector = fabric.allocate(elements).fill(round)
    t.is(fabric.send(peerName('b'), { kind: 0, round, vector }), 'queued')
    fabric.free(vector)
    fabric.free(fabric.allocate(elements).fill(-1))
  }
  for (let round = 0; round < 8; round++) {
    const message = (await right.peer.fabric.receive())?.message
    t.true(message?.vector.every((value) => value === round))
    if (message !== undefined) right.peer.fabric.recycle(message)
  }
})

test('a range of a vector is sent unchanged, also if the vector is released right after', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']), { runSettings })
  await connectAll([left, right])
  const { fabric } = left.peer
  const half = elements / 2
  for (let round = 0; round < 6; round++) {
    const vector = fabric.allocate(elements).fill(round)
    t.is(fabric.send(peerName('b'), { kind: 0, round, offset: half, vector: vector.subarray(half) }), 'queued')
    fabric.free(vector)
    fabric.free(fabric.allocate(elements).fill(-1))
  }
  for (let round = 0; round < 6; round++) {
    const message = (await right.peer.fabric.receive())?.message
    t.true(message?.vector.every((value) => value === round))
    if (message !== undefined) right.peer.fabric.recycle(message)
  }
})

test('ranges are received into reused memory, and each range of a vector keeps it in use', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']), { runSettings })
  await connectAll([left, right])
  const pieces = 16
  const length = elements / 16
  const send = (round: number) => {
    const vector = left.peer.fabric.allocate(elements).fill(round)
    for (let part = 0; part < pieces; part++) {
      const offset = part * length
      const range = vector.subarray(offset, offset + length)
      left.peer.fabric.send(peerName('b'), { kind: 0, round, part, offset, vector: range })
    }
    left.peer.fabric.free(vector)
  }
  const receive = async (round: number) => {
    for (let part = 0; part < pieces; part++) {
      const message = (await right.peer.fabric.receive(right.peer.fabric.now() + timeLimit(20_000)))?.message
      t.like(message, { round, part, offset: part * length })
      t.true(message?.vector.every((value) => value === round))
      if (message !== undefined) right.peer.fabric.recycle(message)
    }
  }
  // As much as allowed arrives before any vector is taken.
  for (let round = 0; round < 3; round++) send(round)
  await eventually('three vectors', () => right.peer.traffic().received.frames === 3 * pieces)
  for (let round = 0; round < 3; round++) await receive(round)
  const before = [left, right].map(({ peer }) => peer.vectorsBeyond)
  for (let round = 3; round < 12; round++) {
    send(round)
    await receive(round)
  }
  t.deepEqual(
    [left, right].map(({ peer }) => peer.vectorsBeyond),
    before
  )
})

test('encoded bodies are not overwritten before they are sent, however slow the network is', async (t) => {
  const many = 4_000_000
  const [left, right] = await testCluster(t, graph(['a', 'b']), {
    runSettings: { ...runSettings, schema: schemaOf(many) },
    codec: 'float16'
  })
  await connectAll([left, right])
  const valueAt = (round: number, index: number) => (round * 7 + (index >> 12)) % 2048
  for (let round = 0; round < 3; round++) {
    const vector = left.peer.fabric.allocate(many)
    for (let index = 0; index < many; index++) vector[index] = valueAt(round, index)
    left.peer.fabric.send(peerName('b'), { kind: 0, round, vector })
    left.peer.fabric.free(vector)
    const message = (await right.peer.fabric.receive(right.peer.fabric.now() + timeLimit(30_000)))?.message
    t.is(
      message?.vector.findIndex((value, index) => value !== valueAt(round, index)),
      -1
    )
    if (message !== undefined) right.peer.fabric.recycle(message)
  }
})

test('the memory of vectors that a later epoch drops is free at once, and nothing counts them', async (t) => {
  const slow = links({ up: 20e6, down: 20e6 })
  const [left, right] = await testCluster(t, graph(['a', 'b']), { runSettings, links: slow })
  await connectAll([left, right])
  const { fabric } = left.peer
  const sent = Array.from({ length: 4 }, () => fabric.allocate(elements).fill(1))
  for (const [round, vector] of sent.entries()) {
    t.is(fabric.send(peerName('b'), { kind: 0, round, vector }), 'queued')
    fabric.free(vector)
  }
  // The first one begins.
  await fabric.sleep(fabric.now())
  t.is(left.peer.neighbours()[0].queue, 4)
  t.is(fabric.send(peerName('b'), { kind: 0, round: 0, epoch: 1, vector: new Float32Array(8) }), 'queued')
  t.is(left.peer.neighbours()[0].queue, 2)
  const next = [1, 2, 3].map(() => fabric.allocate(elements))
  t.true(sent.every((vector, round) => next.includes(vector) === round > 0))
  const lengths = [await right.peer.fabric.receive(), await right.peer.fabric.receive()].map(
    (envelope) => envelope?.message.vector.length
  )
  t.deepEqual(lengths, [elements, 8])
  await eventually('all acknowledged', () => left.peer.neighbours()[0].queue === 0)
  t.like(left.peer.traffic().sent, { frames: 2, payload: 4 * (elements + 8), raw: 4 * (elements + 8) })
})
