import { slowdown, timeLimit } from '@murmuration/contract'
import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { testNode, connectAll, testCluster, graph, schemaOf } from '../cluster.test.support.js'
import { links } from './wire.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const pair = graph(['a', 'b'])

test('a message takes the time of its own direction, whichever peer has dialled', async (t) => {
  const there = links({}, { latency: 60 })
  const back = links({}, { latency: 20 })
  const path = (from: string, to: string) => (from === 'a' ? there : back).path(peerName(from), peerName(to))
  for (const caller of ['a', 'b']) {
    const network = { ...there, path }
    const both = await Promise.all(
      pair.peers.map((name) => testNode(t, pair, name, { links: network, ...(name === caller ? { listen: [] } : {}) }))
    )
    await connectAll(both)
    const [left, right] = both.map(({ peer }) => peer.fabric)
    const begin = performance.now()
    left.send(b, { kind: 0, round: 0, vector: new Float32Array(8) })
    await right.receive()
    const middle = performance.now()
    right.send(a, { kind: 0, round: 0, vector: new Float32Array(8) })
    await left.receive()
    t.true(middle - begin >= 60 - 0.01, `${middle - begin} ms`)
    t.true(performance.now() - middle >= 20 - 0.01)
  }
})

test('a shaped ring of four exchanges the same vectors, no faster than its access links', async (t) => {
  const square = graph(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d', 'a'])
  const elements = 50_000
  const rounds = 5
  const runSettings = { settings: { run: 'r' }, schema: schemaOf(elements), start: '0' }
  const nodes = await testCluster(t, square, {
    runSettings,
    links: links({ up: 80e6, down: 80e6 }, { latency: 10, jitter: 5 })
  })
  await connectAll(nodes)
  const begin = performance.now()
  await Promise.all(
    nodes.map(async ({ name, peer: { fabric } }) => {
      for (let round = 0; round < rounds; round++) {
        const vector = new Float32Array(elements).map((_, index) => name.charCodeAt(0) + round + index)
        const { sendTo } = fabric.neighbours(0)
        for (const { name: to } of sendTo) t.is(fabric.send(to, { kind: 0, round, vector }), 'queued')
        for (let count = 0; count < sendTo.length; count++) {
          const envelope = await fabric.receive(fabric.now() + timeLimit(10_000))
          if (envelope === undefined) return t.fail(`nothing in round ${round}`)
          const { from, message } = envelope
          t.is(message.vector.at(-1), from.charCodeAt(0) + message.round + elements - 1)
        }
      }
    })
  )
  // Five times two vectors of 200,000 bytes on a line of 10,000 bytes per millisecond.
  t.true(performance.now() - begin >= rounds * 40 + 10)
  t.true(nodes.every(({ peer }) => peer.traffic().badFrames + peer.traffic().retransmissions === 0))
  t.true(nodes.every(({ events }) => events.every(({ kind }) => kind !== 'reconnecting' && kind !== 'silent')))
})

test('timeouts grow with the links, so that slow ones do not fail', async (t) => {
  // A round trip: less than a dial over these links takes, and less than the vector. On a busy machine the links are
  // slower too.
  const latency = 200 * slowdown()
  const wait = 2 * latency
  const waits = { dialTimeout: wait, handshakeTimeout: wait, silentAfter: wait, deadAfter: wait, closeTimeout: wait }
  const runSettings = { settings: { run: 'r' }, schema: schemaOf(50_000), start: '0' }
  const line = 2e6 / slowdown()
  const slow = links({ up: line, down: line }, { latency })
  const nodes = await testCluster(t, pair, { runSettings, limits: waits, links: slow })
  await connectAll(nodes)
  const [left, right] = nodes
  left.peer.fabric.send(b, { kind: 0, round: 0, vector: new Float32Array(50_000) })
  // It takes a second, in which the receiver receives nothing.
  const [envelope] = await Promise.all([right.peer.fabric.receive(), left.peer.close()])
  t.is(envelope?.message.vector.length, 50_000)
  t.deepEqual(
    nodes.flatMap(({ events }) => events.filter(({ kind }) => kind === 'reconnecting' || kind === 'silent')),
    []
  )
})

test('pipes that peers share cannot be shaped', async (t) => {
  const shared = links({}, { pipes: [{ name: 'uplink', bandwidth: 1e6 }] })
  await t.throwsAsync(testNode(t, pair, 'a', { links: shared }), {
    instanceOf: InputError,
    message: /the pipe "uplink"/
  })
})
