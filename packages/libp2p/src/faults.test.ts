import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import type { Limits } from './constants.js'
import { type Bird, eventOf, eventually, flock, graph, schemaOf } from './flock.test.support.js'
import { type Proxy, proxyOf } from './proxy.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const elements = 100_000

/** Two neighbours, each behind a relay, ready. */
async function pair(t: ExecutionContext, limits: Partial<Limits> = {}): Promise<[Bird, Bird, readonly Proxy[]]> {
  const terms = { run: 'r', algorithm: 'x', schema: schemaOf(elements), start: '0' }
  const birds = await flock(t, graph(['a', 'b']), { terms, limits })
  const proxies = await Promise.all(birds.map((each) => proxyOf(t, each)))
  const roster = proxies.map(({ entry }) => entry)
  await Promise.all(birds.map(({ peer }) => peer.connect(roster, 10_000)))
  return [birds[0], birds[1], proxies]
}

/** Sends `count` vectors as fast as the queue takes them. */
async function sendAll({ peer: { fabric } }: Bird, to: typeof a, count: number): Promise<void> {
  for (let round = 0; round < count; ) {
    if (fabric.send(to, { kind: 0, round, vector: new Float32Array(elements).fill(round) }) === 'queued') round++
    else await fabric.sleep(fabric.now() + 1)
  }
}

/** Receives until `count` vectors have come, and returns their rounds; `NaN` for one whose content is not its round. */
async function receiveAll({ peer: { fabric } }: Bird, count: number, onEach: () => void): Promise<number[]> {
  const rounds: number[] = []
  while (rounds.length < count) {
    const envelope = await fabric.receive(fabric.now() + 10_000)
    if (envelope === undefined) return rounds
    const { round, vector } = envelope.message
    rounds.push(vector.every((value) => value === round) ? round : Number.NaN)
    onEach()
  }
  return rounds
}

test('each vector comes once and in order, however often the connections are cut', async (t) => {
  const [left, right, proxies] = await pair(t)
  const count = 150
  let cuts = 0
  let received = 0
  const cutNowAndThen = () => {
    if (++received % 35 === 0) cuts += proxies.reduce((sum, proxy) => sum + proxy.cut(), 0)
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

test('a neighbour that hangs is silent after a while, and ready as soon as it is heard again', async (t) => {
  const [left, right, proxies] = await pair(t, { heartbeat: 100, silentAfter: 600 })
  for (const proxy of proxies) proxy.freeze()
  t.true((await eventOf(left, 'silent')).unheard >= 600)
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

test('a neighbour whose machine vanishes leaves the queue to fill, not the memory', async (t) => {
  const [left, right, proxies] = await pair(t)
  for (const proxy of proxies) proxy.cut()
  const closed = right.peer.close()
  for (const proxy of proxies) proxy.cut()
  await closed
  const { fabric } = left.peer
  const vector = new Float32Array(elements)
  const results = Array.from({ length: 20 }, () => fabric.send(b, { kind: 0, round: 0, vector }))
  const state = left.peer.neighbours()[0].state
  t.deepEqual(
    results.filter((result) => result === 'queued').length,
    state === 'left' ? 0 : 8
  )
  t.true(results.every((result) => result !== 'queued') || results.at(-1) === 'full')
})
