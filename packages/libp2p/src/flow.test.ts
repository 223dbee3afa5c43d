import { slowdown, timeLimit } from '@murmuration/contract'
import { NeighboursMissingError, peerName, StoppedError } from '@murmuration/core'
import test from 'ava'
import {
  testNode,
  connectAll,
  eventOf,
  eventually,
  testCluster,
  graph,
  peerListOf,
  schemaOf
} from './cluster.test.support.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const line = graph(['a', 'b'], ['a', 'c'])
/** Limits of a peer that is closed as part of the test: it has time to send everything. */
const thorough = () => ({ closeTimeout: timeLimit(5_000) })
const message = (round: number, value = round) => ({ kind: 0, round, vector: new Float32Array(8).fill(value) })

test('a neighbour that does not read fills only its own queue, and later gets everything in order', async (t) => {
  const [left, slow, quick] = await testCluster(t, line)
  await connectAll([left, slow, quick])
  const { fabric } = left.peer
  // 8 vectors fit into the queue; one is acknowledged while in the mailbox, and one more may be in flight.
  let sent = 0
  await eventually('a full queue that no acknowledgement empties', () => {
    while (fabric.send(b, message(sent)) === 'queued') sent++
    return left.peer.neighbours()[0].queue === 8 && sent === 9
  })
  t.is(fabric.send(b, message(0)), 'full')
  t.is(fabric.send(c, message(7)), 'queued')
  t.is((await quick.peer.fabric.receive())?.message.round, 7)
  for (let round = 0; round < sent; round++) t.is((await slow.peer.fabric.receive())?.message.round, round)
  await eventually('an empty queue', () => left.peer.neighbours()[0].queue === 0)
})

test('a NaN is never delivered, and the frames around it are', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  for (const [round, value] of [1, Number.NaN, 3, Number.POSITIVE_INFINITY, 5].entries()) {
    t.is(left.peer.fabric.send(b, message(round, value)), 'queued')
  }
  const { fabric } = right.peer
  const rounds = [await fabric.receive(), await fabric.receive(), await fabric.receive()].map((e) => e?.message.round)
  t.deepEqual(rounds, [0, 2, 4])
  t.is(right.peer.traffic().badFrames, 2)
  t.is((await eventOf(right, 'bad-frame')).fault, 'not-finite')
  t.is(await fabric.receive(fabric.now() + 20), undefined)
  await eventually('all acknowledged', () => left.peer.neighbours()[0].queue === 0)
})

test('repeated bad bodies reset the stream, which is rebuilt', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  for (let round = 0; round < 3; round++) left.peer.fabric.send(b, message(round, Number.NaN))
  await eventOf(left, 'reconnecting')
  left.peer.fabric.send(b, message(3))
  t.is((await right.peer.fabric.receive())?.message.round, 3)
})

test('vectors in shared memory travel as others do', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  const vector = new Float32Array(new SharedArrayBuffer(32)).fill(4)
  left.peer.fabric.send(b, { kind: 3, round: 2, vector })
  t.like((await right.peer.fabric.receive())?.message, { kind: 3, round: 2, vector: new Float32Array(8).fill(4) })
})

test('ranges of the parameters are sent as ranges; one outside of them is a bug of the caller', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  const part = { kind: 2, round: 1, offset: 5, vector: Float32Array.of(1, 2, 3) }
  t.is(left.peer.fabric.send(b, part), 'queued')
  t.like((await right.peer.fabric.receive())?.message, part)
  t.throws(() => left.peer.fabric.send(b, { ...part, offset: 6 }), { message: /numbers 6 to 8 .* schema has 8/ })
  t.throws(() => left.peer.fabric.send(b, { kind: 0, round: 0, vector: new Float32Array(9) }), { message: /has 8/ })
})

test('unknown peers, and neighbours that have left, are unreachable', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']), { limits: thorough() })
  await connectAll([left, right])
  t.is(left.peer.fabric.send(c, message(0)), 'unreachable')
  await right.peer.close('enough')
  t.like(await eventOf(left, 'left'), { peer: b, reason: 'enough' })
  t.is(left.peer.fabric.send(b, message(0)), 'unreachable')
  t.like(left.peer.neighbours()[0], { state: 'left', reason: 'enough' })
})

for (const caller of ['the one that leaves', 'the one that stays']) {
  test(`a leave message arrives also when ${caller} has called`, async (t) => {
    const [left, right] = await testCluster(t, graph(['a', 'b']), { limits: thorough() })
    const called = caller === 'the one that leaves' ? a : b
    // The peer list has no address of the peer that must dial.
    const peerList = peerListOf([left, right]).map((entry) =>
      entry.name === called ? entry : { ...entry, addresses: [] }
    )
    await Promise.all([left, right].map(({ peer }) => peer.connect(peerList, timeLimit(10_000))))
    await right.peer.close('enough')
    t.like(await eventOf(left, 'left'), { peer: b, reason: 'enough' })
  })
}

test('what was sent before close still arrives', async (t) => {
  const large = { limits: thorough(), runSettings: { settings: { run: 'r' }, schema: schemaOf(500_000), start: '0' } }
  const [left, right] = await testCluster(t, graph(['a', 'b']), large)
  await connectAll([left, right])
  for (let round = 0; round < 4; round++) {
    left.peer.fabric.send(b, { kind: 0, round, vector: new Float32Array(500_000).fill(round) })
  }
  const closing = left.peer.close()
  const rounds: unknown[] = []
  for (let round = 0; round < 4; round++) rounds.push((await right.peer.fabric.receive())?.message.round)
  await closing
  t.deepEqual(rounds, [0, 1, 2, 3])
})

test('a peer that was restarted with the same key is accepted again', async (t) => {
  const topology = graph(['a', 'b'])
  const [left, right] = await testCluster(t, topology, { limits: thorough() })
  await connectAll([left, right])
  for (let round = 0; round < 3; round++) right.peer.fabric.send(a, message(round))
  for (let round = 0; round < 3; round++) await left.peer.fabric.receive()
  const [{ id }] = peerListOf([right])
  await right.peer.close()
  await eventOf(left, 'left')
  const identity = right.identity
  const again = await testNode(t, topology, 'b', { identity })
  t.is(again.peer.id, id)
  await again.peer.connect(peerListOf([left, again]), timeLimit(5_000))
  again.peer.fabric.send(a, message(9))
  t.is((await left.peer.fabric.receive())?.message.round, 9)
  await eventually('ready again', () => left.peer.neighbours()[0].state === 'ready')
  t.is(left.peer.fabric.send(b, message(10)), 'queued')
  t.is((await again.peer.fabric.receive())?.message.round, 10)
})

test('stop rejects every wait, now and later', async (t) => {
  const [left] = await testCluster(t, graph(['a', 'b']))
  const { fabric } = left.peer
  const never = { kind: 'gradient', samples: 1, run: () => new Promise<number>(() => {}) }
  const waits = [fabric.receive(), fabric.sleep(fabric.now() + 1e9), fabric.work(never)]
  const connecting = left.peer.connect(peerListOf([left, await testNode(t, graph(['a', 'b']), 'b')]), 60_000)
  left.peer.stop('the user pressed Ctrl-C')
  for (const wait of [...waits, connecting, fabric.receive(), fabric.sleep(0), fabric.work(never)]) {
    await t.throwsAsync(Promise.resolve(wait), { instanceOf: StoppedError, message: /Ctrl-C/ })
  }
  t.true(fabric.signal.aborted)
})

test('work begins at once, and its failure is kept until it is awaited', async (t) => {
  const [{ peer }] = await testCluster(t, graph(['a', 'b']))
  let begun = false
  const run = async () => {
    begun = true
    throw new RangeError('no such sample')
  }
  const result = peer.fabric.work({ kind: 'gradient', samples: 1, run })
  t.true(begun)
  await new Promise((resolve) => setImmediate(resolve))
  await t.throwsAsync(Promise.resolve(result), { instanceOf: RangeError })
  const thrown = () => {
    throw new TypeError('at once')
  }
  const failed = peer.fabric.work({ kind: 'gradient', samples: 1, run: thrown })
  await t.throwsAsync(Promise.resolve(failed), { instanceOf: TypeError })
})

test('a spawned activity shares the mailbox, and its failure stops the peer', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  right.peer.fabric.spawn(async (fabric) => {
    const envelope = await fabric.receive()
    throw new Error(`no use for round ${envelope?.message.round}`)
  })
  const waiting = t.throwsAsync(Promise.resolve(right.peer.fabric.sleep(Number.POSITIVE_INFINITY)), {
    instanceOf: StoppedError,
    message: /no use for round 4/
  })
  left.peer.fabric.send(b, message(4))
  await waiting
  t.is((await eventOf(right, 'activity-failed')).reason, 'no use for round 4')
})

test('a neighbour that never connects is named, with the reason', async (t) => {
  const here = await testNode(t, graph(['a', 'b'], ['a', 'c']), 'a')
  const there = await testNode(t, graph(['a', 'b'], ['a', 'c']), 'b')
  const [, entry] = peerListOf([here, there])
  const nobody = { ...entry, name: c, id: (await testNode(t, line, 'c')).peer.id, addresses: ['/ip4/127.0.0.1/tcp/1'] }
  const peerList = [...peerListOf([here, there]), nobody]
  // The other neighbour must be found within this time.
  const seconds = Math.ceil(4 * slowdown())
  const both = there.peer.connect(peerList, timeLimit(10_000))
  const error = await t.throwsAsync(here.peer.connect(peerList, 1000 * seconds), { instanceOf: NeighboursMissingError })
  await both
  t.deepEqual(error.missing, [c])
  t.true(error.message.startsWith(`after ${seconds} s, 1 of 2 neighbours are missing: c (connecting: `), error.message)
  t.regex(error.message, /ECONNREFUSED 127.0.0.1:1/)
})
