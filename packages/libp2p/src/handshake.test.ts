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
import { faultCount } from './links/fault-account.js'
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

const cases: readonly (readonly [string, Partial<RunSettings>, RegExp])[] = [
  [
    'settings',
    { settings: settingsOf({ run: 'two', rate: { initial: 0.2 }, peers: ['a', 'b'] }) },
    /: the settings differ: rate.initial is 0.1 here and 0.2 there; run is "one" here and "two" there$/
  ],
  [
    'settings',
    { settings: settingsOf({ run: 'one', rate: { initial: 0.1, decay: 'cosine' }, peers: ['a'] }) },
    /: the settings differ: peers\[1\] is "b" here and missing there; rate.decay is missing here and "cosine" there$/
  ],
  ['schema', { schema: schemaOf(9) }, /tensor 1 is "weights" \[8\] here and "weights" \[9\] there/],
  ['start', { start: 'bb' }, /the start parameters have the hash "aa" here and "bb" there/]
]

for (const [index, [code, change, expected]] of cases.entries()) {
  test(`case ${index}: two peers that differ in ${code} refuse each other, and both report the difference`, async (t) => {
    const left = await testNode(t, edge, 'a', { runSettings })
    const right = await testNode(t, edge, 'b', { runSettings: { ...runSettings, ...change } })
    const peerList = peerListOf([left, right])
    const [here, there] = await Promise.all([
      t.throwsAsync(left.peer.connect(peerList, timeLimit(10_000)), { instanceOf: RefusedError }),
      t.throwsAsync(right.peer.connect(peerList, timeLimit(10_000)), { instanceOf: RefusedError })
    ])
    t.like(here, { code, peer: b })
    t.like(there, { code, peer: a })
    t.regex(here.message, expected)
    t.regex(there.message, /here and .* there/)
    t.is(left.peer.neighbours()[0].state, 'refused')
    t.is(left.peer.fabric.send(b, { kind: 0, round: 0, vector: new Float32Array(8) }), 'unreachable')
  })
}

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

test('a listed peer that is not a neighbour learns that the topologies differ', async (t) => {
  const other = graph(['a', 'c'])
  const left = await testNode(t, other, 'a')
  const right = await testNode(t, edge, 'b')
  const third = await testNode(t, other, 'c')
  const peerList = peerListOf([left, right, third])
  const connecting = Promise.all([left, third].map(({ peer }) => peer.connect(peerList, timeLimit(5_000))))
  const error = await t.throwsAsync(right.peer.connect(peerList, timeLimit(5_000)), { instanceOf: RefusedError })
  t.like(error, { code: 'unknown-peer', peer: a })
  t.regex(error.message, /"a" has no neighbour "[a-z]" in its topology/)
  await t.notThrowsAsync(connecting)
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
      round: 0,
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

test('a neighbour can neither exceed its window nor skip a frame', async (t) => {
  const victim = await testNode(t, edge, 'a')
  const { connection, hello } = await byHand(t, victim)
  const { channel } = await hello()
  const stream = await connection.newStream(exchangeProtocol)
  // One is acknowledged while in the mailbox, two more may be in flight.
  for (let sequence = 1; sequence <= 4; sequence++) stream.send(frame(sequence))
  t.is((await eventOf(victim, 'bad-frame')).fault, 'window')
  const rounds: unknown[] = []
  for (let k = 0; k < 3; k++) rounds.push((await victim.peer.fabric.receive())?.message.round)
  t.deepEqual(rounds, [1, 2, 3])
  const { answer } = await hello()
  t.like(answer, { kind: 'welcome', received: 3, acknowledged: 3 })
  const next = await connection.newStream(exchangeProtocol)
  next.send(frame(3))
  next.send(frame(5))
  await eventually('a gap', () => victim.events.some((event) => event.kind === 'bad-frame' && event.fault === 'gap'))
  t.is(victim.peer.traffic().duplicates, 1)
  channel.abort('the test is over')
})

test('a stream of vectors without a handshake is refused', async (t) => {
  const victim = await testNode(t, edge, 'a')
  const { connection } = await byHand(t, victim)
  const stream = await connection.newStream(exchangeProtocol)
  await eventually('a reset', () => stream.status !== 'open')
  t.is(victim.peer.traffic().received.frames, 0)
})

test('a name of another peer id, and messages before a hello, are refused', async (t) => {
  const victim = await testNode(t, edge, 'a')
  const { hello, control } = await byHand(t, victim)
  const { answer } = await hello(a)
  t.like(answer, {
    kind: 'refused',
    code: 'unknown-peer',
    reason: 'it calls itself "a", but its peer id belongs to "b"'
  })
  const rude = await control()
  rude.send({ kind: 'ping', round: 0, at: 0, padding: '' })
  t.like(await rude.first(timeLimit(5_000)), { kind: 'refused', code: 'protocol' })
})

test('peers of two wires refuse each other without fault, and both name the versions and what to install', async (t) => {
  const victim = await testNode(t, edge, 'a')
  const { control } = await byHand(t, victim)
  for (const [version, software, expected] of [
    [
      protocolVersion + 1,
      '99.0.0',
      /it runs 99\.0\.0 \(wire \d+\), and this peer \d.*install 99\.0\.0 of Murmuration here$/
    ],
    [1, '0.0.1', /install \d+\.\d+\.\d+.* of Murmuration there$/],
    [1, 'npm install evil', /it runs an unknown version \(wire 1\)/]
  ] as const) {
    const channel = await control()
    // Nothing else of another wire's hello is known.
    channel.send({ kind: 'hello', version, software } as never)
    const answer = await channel.first(timeLimit(5_000))
    t.like(answer, { kind: 'refused', code: 'version', version: protocolVersion })
    t.regex('reason' in answer ? answer.reason : '', expected)
  }
  const [{ state, faults }] = victim.peer.neighbours()
  t.is(state, 'refused')
  t.is(faultCount(faults), 0)
  t.like(await eventOf(victim, 'refused'), { by: 'us', code: 'version' })
})

test('a peer that another wire refuses names both versions, from its own view', async (t) => {
  const caller = await testNode(t, edge, 'a')
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: ['/ip4/127.0.0.1/tcp/0'], limits: limitsOf(quick()) })
  t.teardown(() => node.stop())
  await node.handle(controlProtocol, async (stream) => {
    const channel = new ControlChannel(stream, new TrafficMeter())
    await channel.first(timeLimit(5_000))
    const fields = { version: protocolVersion + 1, software: '99.0.0' }
    channel.send({ kind: 'refused', code: 'of the future', reason: 'their words', ...fields } as never)
    await channel.close(1_000)
  })
  await node.start()
  const entry = { name: b, id: identity.id, addresses: node.getMultiaddrs().map(String) }
  const error = await t.throwsAsync(caller.peer.connect([entry], timeLimit(10_000)), { instanceOf: RefusedError })
  t.is(error?.code, 'version')
  t.regex(
    error?.message ?? '',
    /^"b" refuses "a": the versions differ: it runs 99\.0\.0 .* install 99\.0\.0 of Murmuration here$/
  )
  t.is(faultCount(caller.peer.neighbours()[0].faults), 0)
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
