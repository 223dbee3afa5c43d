import type { Stream } from '@libp2p/interface'
import test from 'ava'
import { Negotiation } from './negotiation.js'

/** A stream whose protocol is not agreed on, with the sizes of what it was given to read. */
class FakeStream extends EventTarget {
  protocol = ''
  writableNeedsDrain = false
  readBufferLength = 0
  readonly read: number[] = []

  onData({ byteLength }: Uint8Array): void {
    this.read.push(byteLength)
  }

  receive(bytes: number): void {
    this.onData(new Uint8Array(bytes))
  }

  async drain(): Promise<void> {
    this.writableNeedsDrain = false
    this.dispatchEvent(new Event('drain'))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function begin(early = 0) {
  const stream = new FakeStream()
  stream.readBufferLength = early
  const calls = { excess: 0, held: 0 }
  const negotiation = new Negotiation(
    stream as unknown as Stream,
    () => calls.excess++,
    () => calls.held++
  )
  return { stream, calls, negotiation }
}

test('libp2p reads the names of a few protocols, and what is more does not reach it', (t) => {
  const { stream, calls } = begin()
  for (let k = 0; k < 11; k++) stream.receive(100)
  t.is(calls.excess, 1)
  t.deepEqual(stream.read, Array(10).fill(100))
})

test('what came before libp2p was ready counts', (t) => {
  t.is(begin(1000).calls.excess, 0)
  t.is(begin(2000).calls.excess, 1)
})

test('once the protocol is known, everything is passed on', (t) => {
  const { stream, calls } = begin()
  stream.receive(50)
  stream.protocol = '/a/1'
  for (const bytes of [1 << 20, 1 << 20]) stream.receive(bytes)
  t.deepEqual(stream.read, [50, 1 << 20, 1 << 20])
  t.is(calls.excess, 0)
})

test('what arrives while the stream cannot write is held back, and passed on in order once the protocol is known', async (t) => {
  const { stream, calls, negotiation } = begin()
  stream.receive(50)
  stream.writableNeedsDrain = true
  stream.receive(5000)
  stream.receive(6000)
  t.deepEqual([stream.read, negotiation.held, calls.held], [[50], 11_000, 2])
  stream.protocol = '/a/1'
  await stream.drain()
  stream.receive(7000)
  t.deepEqual([stream.read, negotiation.held, calls.excess], [[50, 5000, 6000, 7000], 0, 0])
})

test('what was held back counts when the protocol is still unknown', async (t) => {
  const { stream, calls } = begin()
  stream.writableNeedsDrain = true
  stream.receive(5000)
  await stream.drain()
  t.deepEqual([stream.read, calls.excess], [[], 1])
})
