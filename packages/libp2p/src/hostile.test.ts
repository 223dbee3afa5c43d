/** What an admitted neighbour with its own libp2p client can do to a peer: not much, and it is reported by name. */
import { maxNoteBytes, noteRoom, noteWeight, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { exchangeProtocol } from './base/constants.js'
import { faultCount } from './links/fault-account.js'
import { type TestNode, testNode, eventOf, eventually, graph, schemaOf } from './cluster.test.support.js'
import { behindLength, connectionTo, frame, pings, sayHello } from './hostile.test.support.js'
import type { RunSettings } from './base/run-settings.js'

const m = peerName('m')
const edge = graph(['a', 'm'])
const elements = 8
const limits = { initialShutOut: 600_000, maxShutOut: 600_000 }

/** Over what the neighbour comes, and where its victim listens. */
const ways = [
  ['TCP', '/ip4/127.0.0.1/tcp/0'],
  ['WebRTC', '/ip4/127.0.0.1/udp/0/webrtc-direct']
] as const

/** A neighbour "m" of `victim` that is in the peer list and has a handwritten protocol. */
async function mallory(t: ExecutionContext, victim: TestNode) {
  const connection = await connectionTo(t, victim)
  return { connection, hello: () => sayHello(connection, m, runSettingsOf(elements)) }
}

const runSettingsOf = (length: number): RunSettings => ({
  settings: { run: 'test', algorithm: 'none' },
  start: '00',
  schema: schemaOf(length)
})

const linesOf = ({ events }: TestNode) => events.filter(({ kind }) => kind === 'bad-frame').length
const faultsOf = ({ peer }: TestNode) => faultCount(peer.neighbours()[0].faults)

test('messages that the algorithm rejects count as faults, are reported, and end the streams', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  const { connection, hello } = await mallory(t, victim)
  t.is((await hello()).answer.kind, 'welcome')
  const stream = await connection.newStream(exchangeProtocol)
  for (const [index, length] of [5, 0, 3].entries()) {
    stream.send(frame(index + 1, length, { offset: length === 3 ? 5 : 0 }))
    const envelope = await victim.peer.fabric.receive()
    if (envelope !== undefined) victim.peer.fabric.reject(envelope, 'it is too short')
  }
  await eventually('a reset', () => stream.status !== 'open')
  t.like(await eventOf(victim, 'bad-frame'), { peer: m, fault: 'message', detail: 'it is too short', count: 1 })
  t.deepEqual([faultsOf(victim), linesOf(victim)], [3, 1])
})

test('a valid hello does not reset faults: from the second time on a neighbour is shut out', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  const { connection, hello } = await mallory(t, victim)
  for (let time = 0; time < 2; time++) {
    t.is((await hello()).answer.kind, 'welcome')
    const stream = await connection.newStream(exchangeProtocol)
    stream.send(frame(7, elements))
    await eventually('a reset', () => stream.status !== 'open')
  }
  t.like(await eventOf(victim, 'shut-out'), { peer: m, wait: 600_000, faults: 2 })
  await t.throwsAsync(hello())
  t.is(linesOf(victim), 1)
})

for (const [way, ...listen] of ways) {
  test(`over ${way} a flood of pings is cut off after the number that a peer may send in a second`, async (t) => {
    const victim = await testNode(t, edge, 'a', { limits, listen, runSettings: runSettingsOf(elements) })
    const { hello } = await mallory(t, victim)
    const { stream } = await hello()
    const flood = pings(20_000)
    let sent = 0
    await eventually('a reset', () => {
      if (stream.status !== 'open') return true
      // A slow reader handles no more messages per second than are allowed, so its backlog grows.
      if (stream.writeStatus === 'writable' && stream.send(flood)) sent += flood.length
      return false
    })
    t.like(await eventOf(victim, 'bad-frame'), { peer: m, fault: 'flood', count: 1 })
    const { received } = victim.peer.traffic()
    t.true(received.overhead < sent + flood.length, `${received.overhead} bytes of control messages were read`)
    t.is(linesOf(victim), 1)
  })
}

for (const [size, note] of [
  ['short', 'x'],
  ['long', 'x'.repeat(maxNoteBytes)]
] as const) {
  test(`a flood of ${size} notes is cut off after the number that a peer may send in a second, and the listener gets the number that a peer reads`, async (t) => {
    const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
    let heard = 0
    const began = performance.now()
    victim.peer.fabric.listen({ note: () => void heard++, heard: () => {}, refused: () => {} })
    const { hello } = await mallory(t, victim)
    const { stream } = await hello()
    const flood = behindLength({ kind: 'note', note })
    await eventually('a reset', () => {
      if (stream.status !== 'open') return true
      for (let k = 0; k < 1000 && stream.writeStatus === 'writable'; k++) stream.send(flood)
      return false
    })
    t.like(await eventOf(victim, 'bad-frame'), { peer: m, fault: 'flood', count: 1 })
    const seconds = (performance.now() - began) / 1000
    const most = (2 * noteRoom + 256 * seconds) / noteWeight(note.length)
    t.true(heard > 0 && heard <= most, `${heard} notes`)
  })
}

test('a note that is too long is a fault, and the listener does not get it', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  const heard: string[] = []
  victim.peer.fabric.listen({ note: (_, note) => void heard.push(note), heard: () => {}, refused: () => {} })
  const { hello } = await mallory(t, victim)
  const { channel, stream } = await hello()
  for (const note of ['good', 'x'.repeat(maxNoteBytes + 1), 'late']) channel.send({ kind: 'note', note })
  await eventually('a reset', () => stream.status !== 'open')
  const { fault, detail } = await eventOf(victim, 'bad-frame')
  t.is(fault, 'protocol')
  t.regex(detail, /more than 65536 bytes/)
  t.deepEqual(heard, ['good'])
})

test('notes that the listener rejects count as faults, and end the streams', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  victim.peer.fabric.listen({
    note: (from, note) => (note === 'good' ? undefined : `${from} says ${note}`),
    heard: () => {},
    refused: () => {}
  })
  const { hello } = await mallory(t, victim)
  const { channel, stream } = await hello()
  for (const note of ['good', 'a', 'b', 'c\u001b']) channel.send({ kind: 'note', note })
  await eventually('a reset', () => stream.status !== 'open')
  t.like(await eventOf(victim, 'bad-frame'), { peer: m, fault: 'message', detail: 'm says a' })
  t.is(faultsOf(victim), 3)
})

test('a listener that throws stops its peer, and the fault is not the sender’s', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  victim.peer.fabric.listen({
    note: () => {
      throw new Error('as told')
    },
    heard: () => {},
    refused: () => {}
  })
  const { hello } = await mallory(t, victim)
  const { channel } = await hello()
  channel.send({ kind: 'note', note: 'x' })
  t.is((await eventOf(victim, 'activity-failed')).reason, 'as told')
  await t.throwsAsync(victim.peer.fabric.receive(), { name: 'StoppedError', message: /listener of notes.*as told/ })
  t.is(faultsOf(victim), 0)
})

test('repeated hellos are cut off, with one report', async (t) => {
  const victim = await testNode(t, edge, 'a', {
    limits: { ...limits, maxBackoff: 1e8 },
    runSettings: runSettingsOf(elements)
  })
  const { hello } = await mallory(t, victim)
  let welcomes = 0
  const until = async () => {
    while (welcomes < 200 && (await hello()).answer.kind === 'welcome') welcomes++
  }
  await t.throwsAsync(until())
  t.true(welcomes > 0 && welcomes <= 32, `${welcomes}`)
  await Promise.allSettled(Array.from({ length: 20 }, hello))
  t.is(linesOf(victim), 1)
  t.is((await eventOf(victim, 'shut-out')).peer, m)
})

test('repeated leave messages are reported once', async (t) => {
  const victim = await testNode(t, edge, 'a', { limits, runSettings: runSettingsOf(elements) })
  const { hello } = await mallory(t, victim)
  const { channel } = await hello()
  for (let k = 0; k < 500; k++) channel.send({ kind: 'leave', reason: `${k}` })
  channel.send({ kind: 'ack', sequence: 1 })
  await eventOf(victim, 'bad-frame')
  t.is(victim.events.filter(({ kind }) => kind === 'left').length, 1)
})

for (const [way, ...listen] of ways) {
  test(`over ${way} endless empty vectors do not fill memory: only the granted number waits`, async (t) => {
    const runSettings = runSettingsOf(1 << 22)
    const victim = await testNode(t, edge, 'a', { limits, listen, runSettings })
    const { connection } = await mallory(t, victim)
    t.is((await sayHello(connection, m, runSettings)).answer.kind, 'welcome')
    const stream = await connection.newStream(exchangeProtocol)
    const frames = Array.from({ length: 20_000 }, (_, k) => frame(k + 1, 0))
    stream.send(Buffer.concat(frames))
    t.like(await eventOf(victim, 'bad-frame'), { peer: m, fault: 'window' })
    t.is(victim.peer.traffic().received.frames, 1 << 14)
  })
}

for (const [way, ...listen] of ways) {
  test(`over ${way} endless duplicates are counted, and end the streams`, async (t) => {
    const victim = await testNode(t, edge, 'a', { limits, listen, runSettings: runSettingsOf(elements) })
    const { connection, hello } = await mallory(t, victim)
    await hello()
    const stream = await connection.newStream(exchangeProtocol)
    stream.send(Buffer.concat(Array.from({ length: 1000 }, () => frame(1, elements))))
    await eventually('a reset', () => stream.status !== 'open')
    t.is(faultsOf(victim), 3)
    t.is(linesOf(victim), 1)
  })
}
