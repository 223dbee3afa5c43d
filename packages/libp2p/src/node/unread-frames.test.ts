/** Frames of multiplexers that wait for a peer that does not read. */
import type { Connection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { bareNode } from '../characterisation/bare.test.support.js'
import { FakeConnection } from '../connections.test.support.js'
import { openSeed } from '../discovery/open-seed.js'
import { createIdentity } from '../base/identity.js'
import { UnreadFrames } from './unread-frames.js'

/** A connection with a multiplexer that has room for no frame, until `hasRoom` is set. */
class FullConnection extends FakeConnection {
  hasRoom = false
  readonly muxer = { send: () => this.hasRoom }

  /** Sends frames until the connection ends. Returns their number. */
  send(max: number): number {
    let sent = 0
    while (this.isOpen && sent < max) {
      this.muxer.send()
      sent++
    }
    return sent
  }
}

function watched(listed: readonly string[] = []) {
  const floods: string[] = []
  const frames = new UnreadFrames({
    nameOf: (id) => (listed.includes(id) ? 'a name' : undefined),
    onFlood: (_connection, detail) => floods.push(detail)
  })
  const connection = (id: string) => {
    const full = new FullConnection('192.0.2.1', id)
    frames.watch(full as unknown as Connection)
    return full
  }
  return { floods, connection }
}

test('frames that wait for a peer that does not read are bounded, and it is reported', (t) => {
  const { connection, floods } = watched(['listed'])
  t.is(connection('listed').send(100_000), 8193)
  t.is(connection('unknown').send(100_000), 2049)
  t.deepEqual(floods, Array(2).fill('it does not read the answers to its frames'))
})

test('the bound is for all connections of a holder', (t) => {
  const { connection, floods } = watched()
  const first = connection('one')
  const second = connection('other')
  t.is(first.send(2000), 2000)
  t.is(second.send(2000), 49)
  t.deepEqual([first.isOpen, floods.length], [true, 1])
  t.is(first.send(2000), 49, 'what has ended no longer counts')
})

test('a peer that reads now and then is never cut off', (t) => {
  const { connection, floods } = watched()
  const slow = connection('slow')
  for (let k = 0; k < 100; k++) {
    slow.hasRoom = false
    slow.send(1000)
    slow.hasRoom = true
    slow.send(1)
  }
  t.deepEqual([slow.isOpen, floods], [true, []])
})

/** What exists on a connection, though not in libp2p's types. */
interface RawConnection extends Connection {
  readonly maConn: { pause(): void }
  readonly muxer: { sendFrame(header: object): void }
}

test('a caller of a seed that sends pings of its multiplexer and reads no answers is disconnected', async (t) => {
  const seed = await openSeed({ identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => seed.close())
  const node = await bareNode(t)
  const connection = (await node.dial(multiaddr(seed.addresses[0]))) as RawConnection
  connection.maConn.pause()
  let sent = 0
  while (connection.status === 'open' && sent < 100_000) {
    for (let k = 0; k < 1000; k++) connection.muxer.sendFrame({ type: 2, flag: 1, streamID: 0, length: sent++ })
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  t.not(connection.status, 'open')
})
