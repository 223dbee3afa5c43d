import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import type { Limits } from './base/constants.js'
import { type TestNode, eventOf, eventually, testCluster, graph, schemaOf } from './cluster.test.support.js'
import { proxyOf, type TcpProxy } from './tcp-proxy.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const elements = 40_000

/** Two ready neighbours, each behind a proxy. */
async function pair(
  t: ExecutionContext,
  limits: Partial<Limits> = {}
): Promise<[TestNode, TestNode, readonly TcpProxy[]]> {
  const runSettings = { settings: { run: 'r' }, schema: schemaOf(elements), start: '0' }
  const nodes = await testCluster(t, graph(['a', 'b']), { runSettings, limits })
  const proxies = await Promise.all(nodes.map((each) => proxyOf(t, each)))
  const peerList = proxies.map(({ entry }) => entry)
  await Promise.all(nodes.map(({ peer }) => peer.connect(peerList, timeLimit(10_000))))
  return [nodes[0], nodes[1], proxies]
}

/** Sends `count` vectors as fast as the queue takes them. */
async function sendAll({ peer: { fabric } }: TestNode, to: typeof a, count: number): Promise<void> {
  for (let round = 0; round < count;) {
    if (fabric.send(to, { kind: 0, round, vector: new Float32Array(elements).fill(round) }) === 'queued') round++
    else await fabric.sleep(fabric.now() + 1)
  }
}

/** Receives `count` vectors and returns their rounds; `NaN` for a vector with other content than its round. */
async function receiveAll({ peer: { fabric } }: TestNode, count: number, onEach: () => void): Promise<number[]> {
  const rounds: number[] = []
  while (rounds.length < count) {
    const envelope = await fabric.receive(fabric.now() + timeLimit(10_000))
    if (envelope === undefined) return rounds
    const { round, vector } = envelope.message
    rounds.push(vector.every((value) => value === round) ? round : Number.NaN)
    onEach()
  }
  return rounds
}

test('each vector arrives once and in order, however often the connections are cut', async (t) => {
  const [left, right, proxies] = await pair(t)
  const count = 80
  let cuts = 0
  let received = 0
  const cutNowAndThen = () => {
    if (++received % 25 === 0) cuts += proxies.reduce((sum, proxy) => sum + proxy.cut(), 0)
  }
  const [, , there, here] = await Promise.all([
    sendAll(left, b, count),
    sendAll(right, a, count),
    receiveAll(right, count, cutNowAndThen),
    receiveAll(left, count, cutNowAndThen)
  ])
  const expected = Array.from({ length: count }, (_, round) => round)
  t.deepEqual(there, expected)
  t.deepEqual(here, expected)
  t.true(cuts >= 4, `${cuts} cuts`)
  for (const { peer } of [left, right]) {
    const { sent, received: got, badFrames } = peer.traffic()
    t.deepEqual([sent.frames, got.frames, badFrames], [count, count, 0])
  }
})

test('a neighbour that hangs becomes silent, and ready with its next message', async (t) => {
  const [left, right, proxies] = await pair(t, { heartbeat: 100, silentAfter: 600 })
  for (const proxy of proxies) proxy.freeze()
  t.true((await eventOf(left, 'silent')).silentFor >= 600)
  t.like(left.peer.neighbours()[0], { name: b, state: 'silent' })
  t.is(left.peer.fabric.send(b, { kind: 0, round: 5, vector: new Float32Array(elements) }), 'queued')
  for (const proxy of proxies) proxy.thaw()
  await eventually('ready again', () => left.peer.neighbours()[0].state === 'ready')
  t.is((await right.peer.fabric.receive())?.message.round, 5)
  t.false(left.events.some(({ kind }) => kind === 'reconnecting'))
})

test('a connection that stays dead is replaced, and nothing is lost', async (t) => {
  const [left, right, proxies] = await pair(t, { heartbeat: 100, silentAfter: 400, deadAfter: 1_000 })
  for (const proxy of proxies) proxy.freeze()
  t.is(left.peer.fabric.send(b, { kind: 0, round: 6, vector: new Float32Array(elements) }), 'queued')
  await eventOf(left, 'reconnecting')
  t.is((await right.peer.fabric.receive())?.message.round, 6)
  await eventually('both ready', () => [left, right].every(({ peer }) => peer.neighbours()[0].state === 'ready'))
})

test('a neighbour that disappears without a leave message fills its queue, not the memory', async (t) => {
  const [left, right, proxies] = await pair(t)
  for (const proxy of proxies) proxy.freeze()
  await right.peer.close()
  for (const proxy of proxies) proxy.cut()
  await eventOf(left, 'reconnecting')
  const vector = new Float32Array(elements)
  const results = Array.from({ length: 20 }, () => left.peer.fabric.send(b, { kind: 0, round: 0, vector }))
  t.deepEqual(results, [...Array(8).fill('queued'), ...Array(12).fill('full')])
  t.like(left.peer.neighbours()[0], { state: 'connecting', queue: 8 })
})

test('what was written but has not arrived when the connection broke gives way to a later epoch', async (t) => {
  const [left, right, proxies] = await pair(t)
  const { fabric } = left.peer
  for (const proxy of proxies) proxy.freeze()
  for (let round = 0; round < 3; round++)
    t.is(fabric.send(b, { kind: 0, round, vector: new Float32Array(elements).fill(round) }), 'queued')
  await eventually('the first one is written', () => left.peer.traffic().sent.frames > 0)
  for (const proxy of proxies) proxy.cut()
  await eventOf(left, 'reconnecting')
  for (let round = 7; round < 9; round++)
    t.is(fabric.send(b, { kind: 0, epoch: 1, round, vector: new Float32Array(elements).fill(round) }), 'queued')
  t.deepEqual(await receiveAll(right, 2, () => {}), [7, 8])
  await eventually('all acknowledged', () => left.peer.neighbours()[0].queue === 0)
  t.is(left.peer.traffic().retransmissions, 0)
  t.like(right.peer.traffic(), { badFrames: 0, duplicates: 0 })
})
