import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { eventually, graph, schemaOf, testNode } from '../cluster.test.support.js'
import { exchangeProtocol, limitsOf } from '../base/constants.js'
import { connectionTo, sayHello } from '../hostile.test.support.js'
import { firstWindow, windowFor } from './stream-window.js'

const KiB = 1 << 10

test('the first window has room for the vectors in flight, up to 1 MiB', (t) => {
  const windows = [8, 100_000, 1_000_000].map((elements) => firstWindow(elements, limitsOf()))
  t.deepEqual(windows, [64, 800_000, 1024 * KiB])
  t.is(firstWindow(1_000_000, limitsOf({ streamWindow: 256 * KiB })), 256 * KiB)
  t.is(windowFor(0, limitsOf().streamWindow), 1024 * KiB)
})

/** A sender whose vectors have `elements` numbers, its stream to a peer, and what the stream may have in flight. */
async function senderTo(t: ExecutionContext, elements: number) {
  const m = peerName('m')
  const runSettings = { settings: { run: 'test' }, start: '00', schema: schemaOf(elements) }
  const receiver = await testNode(t, graph(['a', 'm']), 'a', { runSettings })
  const connection = await connectionTo(t, receiver)
  t.is((await sayHello(connection, m, runSettings)).answer.kind, 'welcome')
  const stream = await connection.newStream(exchangeProtocol)
  const room = () => ('sendWindowCapacity' in stream ? Number(stream.sendWindowCapacity) : Number.NaN)
  return room
}

test('a sender has room for two vectors of 400 kB before it sends the first', async (t) => {
  const room = await senderTo(t, 100_000)
  // The protocol's name, which opens the stream, takes some bytes of the window until it is read.
  await eventually('room for two vectors', () => room() >= 800_000)
})
