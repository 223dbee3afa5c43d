import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { multiaddr } from '@multiformats/multiaddr'
import { timeLimit } from '@murmuration/contract'
import { InputError, peerName, RefusedError, StoppedError } from '@murmuration/core'
import { encodeHeader } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { controlProtocol, exchangeProtocol, limitsOf, protocolVersion } from './base/constants.js'
import { ControlChannel } from './links/control-channel.js'
import {
  type TestNode,
  testNode,
  eventOf,
  eventually,
  graph,
  quick,
  peerListOf,
  schemaOf
} from './cluster.test.support.js'
import { createIdentity } from './base/identity.js'
import { createNode } from './node/node.js'
import { settingsOf } from './base/settings.js'
import type { RunSettings } from './base/run-settings.js'
import { portOf } from './characterisation/bare.test.support.js'
import { TrafficMeter } from './base/traffic.js'

const edge = graph(['a', 'b'])
const [a, b] = ['a', 'b'].map(peerName)
const settings = settingsOf({ run: 'one', rate: { initial: 0.1 }, peers: ['a', 'b'] })
const runSettings: RunSettings = { settings, schema: schemaOf(8), start: 'aa' }

test('two peers with other settings refuse each other, and both report the difference', async (t) => {
  const other = settingsOf({ run: 'two', rate: { initial: 0.2 }, peers: ['a', 'b'] })
  const left = await testNode(t, edge, 'a', { runSettings })
  const right = await testNode(t, edge, 'b', { runSettings: { ...runSettings, settings: other } })
  const peerList = peerListOf([left, right])
  const [here, there] = await Promise.all([
    t.throwsAsync(left.peer.connect(peerList, timeLimit(10_000)), { instanceOf: RefusedError }),
    t.throwsAsync(right.peer.connect(peerList, timeLimit(10_000)), { instanceOf: RefusedError })
  ])
  t.like(here, { code: 'settings', peer: b })
  t.like(there, { code: 'settings', peer: a })
  t.regex(
    here.message,
    /: the settings differ: rate.initial is 0.1 here and 0.2 there; run is "one" here and "two" there$/
  )
  t.regex(there.message, /rate.initial is 0.2 here and 0.1 there/)
  t.is(left.peer.neighbours()[0].state, 'refused')
  t.is(left.peer.fabric.send(b, { kind: 0, round: 0, vector: new Float32Array(8) }), 'unreachable')
})

test('a peer with an id that is not in the peer list is refused, and both sides report it', async (t) => {
  const left = await testNode(t, edge, 'a')
  const right = await testNode(t, edge, 'b')
  const impostor = await testNode(t, edge, 'b')
  const connecting = left.peer.connect(peerListOf([left, right]), timeLimit(10_000))
  const hoping = t.throwsAsync(impostor.peer.connect(peerListOf([left, impostor]), timeLimit(60_000)), {
    instanceOf: StoppedError
  })
  const words = `may not have this peer's id ${impostor.peer.id} in its peer list`
  await eventually('the reason', () => impostor.peer.neighbours()[0].reason.includes(words))
  t.like(await eventOf(left, 'unknown-peer-refused'), { id: impostor.peer.id, reason: 'it is not in the peer list' })
  await right.peer.connect(peerListOf([left, right]), timeLimit(10_000))
  await t.notThrowsAsync(connecting)
  impostor.peer.stop()
  await hoping
})

test('invalid peer lists are refused before any call', async (t) => {
  const left = await testNode(t, edge, 'a')
  const right = await testNode(t, edge, 'b')
  const [own, other] = peerListOf([left, right])
  const connect = (...entries: Parameters<typeof left.peer.connect>[0]) => left.peer.connect(entries, 1_000)
  const bad = { instanceOf: InputError }
  await t.throwsAsync(connect(own), { ...bad, message: /the peer list lacks b/ })
  await t.throwsAsync(connect({ ...own, id: other.id, addresses: [] }), { ...bad, message: /this peer's key gives/ })
  await t.throwsAsync(connect(own, { ...other, id: own.id, addresses: [] }), { ...bad, message: /same peer id/ })
  await t.throwsAsync(connect(own, { ...other, id: 'nobody' }), { ...bad, message: /"nobody" is not a peer id/ })
  await t.throwsAsync(connect(own, { ...other, addresses: ['host:1'] }), { ...bad, message: /is not a multiaddr/ })
  await t.throwsAsync(connect(own, { ...other, addresses: own.addresses }), { ...bad, message: /another peer id/ })
  await t.throwsAsync(connect(own, other, other), { ...bad, message: /twice/ })
})

test('a port in use, a peer outside the topology and impossible limits are input errors', async (t) => {
  const left = await testNode(t, edge, 'a')
  const listen = [left.peer.addresses[0].replace(/\/p2p.*/, '')]
  await t.throwsAsync(testNode(t, edge, 'b', { listen }), {
    instanceOf: InputError,
    message: /cannot listen on .*EADDRINUSE.*choose another/
  })
  await t.throwsAsync(testNode(t, edge, 'x'), { instanceOf: InputError, message: /"x" is not in the topology/ })
  await t.throwsAsync(testNode(t, edge, 'b', { limits: { window: 0 } }), {
    instanceOf: InputError,
    message: /window is 0/
  })
  await t.throwsAsync(testNode(t, edge, 'b', { listen: ['tcp:1'] }), {
    instanceOf: InputError,
    message: /is not a multiaddr/
  })
})

/** A neighbour "b" of `a` with a handwritten protocol. */
async function byHand(t: ExecutionContext, victim: TestNode) {
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: [], limits: limitsOf(quick()) })
  await node.start()
  t.teardown(() => node.stop())
  const entry = { name: b, id: identity.id, addresses: [] }
  const connecting = victim.peer.connect([entry], 500)
  connecting.catch(() => {})
  const connection = await node.dial(victim.peer.addresses.map((address) => multiaddr(address)))
  const control = async () => new ControlChannel(await connection.newStream(controlProtocol), new TrafficMeter())
  const hello = async (name = b, first = 1) => {
    const channel = await control()
    const incarnation = 'by-hand'
    channel.send({
      kind: 'hello',
      version: protocolVersion,
      name,
      runSettings: victimTerms,
      incarnation,
      first,
      codecs: []
    })
    return { channel, answer: await channel.first(timeLimit(5_000)) }
  }
  return { connection, control, hello }
}
const victimTerms: RunSettings = { settings: { run: 'test' }, schema: schemaOf(8), start: '00' }
const message = (round: number) => ({ kind: 0, round, vector: new Float32Array(8).fill(round) })
const frame = (sequence: number) => {
  const { kind, round, vector } = message(sequence)
  const place = { offset: 0, position: 0 }
  const header = { ...place, codec: 0, kind, round, sequence, length: 8, count: 8, bytes: 32 }
  return Buffer.concat([encodeHeader(header), new Uint8Array(vector.buffer)])
}

test('a silent caller is cut off after the handshake timeout', async (t) => {
  const patient = await testNode(t, edge, 'a')
  const strict = await testNode(t, edge, 'b', { limits: { handshakeTimeout: 200 } })
  const order: TestNode[] = []
  for (const callee of [patient, strict]) {
    const socket = connect(portOf(callee.peer.addresses), '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    // Closed or reset makes no difference.
    socket.on('error', () => {})
    socket.resume().on('close', () => order.push(callee))
  }
  // libp2p's own limit, which is the same for both, would cut off the first one first.
  t.is(await eventually('a caller is cut off', () => order[0]), strict)
})

test('garbage on the exchange stream is counted and resets the stream; the next one works', async (t) => {
  const victim = await testNode(t, edge, 'a')
  const { connection, hello } = await byHand(t, victim)
  t.is((await hello()).answer.kind, 'welcome')
  const stream = await connection.newStream(exchangeProtocol)
  stream.send(randomBytes(100_000))
  t.is((await eventOf(victim, 'bad-frame')).fault, 'magic')
  await eventually('a reset', () => stream.status !== 'open')
  t.is((await hello()).answer.kind, 'welcome')
  const next = await connection.newStream(exchangeProtocol)
  for (const byte of frame(1)) next.send(Uint8Array.of(byte))
  t.is((await victim.peer.fabric.receive())?.message.round, 1)
  t.is(victim.peer.traffic().badFrames, 1)
})

test('two processes with one key are both told where the other is, and end; the next one is accepted', async (t) => {
  const witness = await testNode(t, edge, 'b')
  const first = await testNode(t, edge, 'a')
  const second = await testNode(t, edge, 'a', { identity: first.identity })
  const peerList = peerListOf([first, witness])
  witness.peer.meet(peerList)
  const both = [first, second].map(({ peer }) =>
    t.throwsAsync(
      peer.connect(peerList, timeLimit(20_000)).then(() => peer.fabric.receive()),
      {
        instanceOf: RefusedError
      }
    )
  )
  const places = [first, second].map(({ peer }) => peer.addresses[0].replace(/\/p2p.*/, ''))
  for (const error of await Promise.all(both)) {
    t.is(error.code, 'identity')
    t.regex(error.message, /^"b" refuses "a": two processes have the key of "a", one at .*murmur identity/)
    for (const place of places) t.true(error.message.includes(`listening at ${place}`), error.message)
  }
  t.like(await eventOf(witness, 'refused'), { by: 'us', code: 'identity', peer: a })
  t.is(witness.peer.refusal, undefined, 'who finds them is not at fault')
  await Promise.all([first.peer.close(), second.peer.close()])
  const third = await testNode(t, edge, 'a', { identity: first.identity })
  await t.notThrowsAsync(third.peer.connect(peerList, timeLimit(10_000)))
})
