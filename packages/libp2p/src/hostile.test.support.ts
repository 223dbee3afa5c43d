/** Handwritten messages, valid and invalid, for tests with a hostile neighbour. */
import type { Connection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { type PeerName, peerName } from '@murmuration/core'
import { encodeHeader } from '@murmuration/wire'
import type { ExecutionContext } from 'ava'
import { encode } from 'it-length-prefixed'
import type { TestNode } from './cluster.test.support.js'
import { controlProtocol, limitsOf, protocolVersion } from './base/constants.js'
import { ControlChannel } from './links/control-channel.js'
import { type ControlMessage, encodeControl } from './links/control-messages.js'
import { createIdentity } from './base/identity.js'
import { createNode } from './node/node.js'
import type { RunSettings } from './base/run-settings.js'
import { startedDialler } from './tabs/dialler.test.support.js'
import { TrafficMeter } from './base/traffic.js'

/**
 * A bare node that is the neighbour "m" of `receiver`, as its peer list says, and a connection to it; until the test
 * ends.
 */
export async function connectionTo(t: ExecutionContext, { peer }: TestNode): Promise<Connection> {
  const identity = await createIdentity()
  const isTab = peer.addresses[0].includes('webrtc-direct')
  const node = await (isTab ? startedDialler(identity) : createNode({ identity, listen: [], limits: limitsOf() }))
  await node.start()
  t.teardown(() => node.stop())
  peer.connect([{ name: peerName('m'), id: identity.id, addresses: [] }], 500).catch(() => {})
  return node.dial(peer.addresses.map((address) => multiaddr(address)))
}

/** Sends a hello, and takes the answer. */
export async function sayHello(connection: Connection, name: PeerName, runSettings: RunSettings, incarnation = 'x') {
  const stream = await connection.newStream(controlProtocol)
  const channel = new ControlChannel(stream, new TrafficMeter())
  const rest = { name, incarnation, first: 1, codecs: [] }
  channel.send({ kind: 'hello', version: protocolVersion, runSettings, ...rest })
  return { stream, channel, answer: await channel.first(60_000) }
}

/** One frame with a vector of `length` numbers, all of them `value`. */
export function frame(sequence: number, length: number, change = {}, value = 1): Uint8Array {
  const place = { offset: 0, position: 0, codec: 0, kind: 1, round: sequence - 1 }
  const header = { ...place, sequence, length, count: length, bytes: 4 * length, ...change }
  return Buffer.concat([encodeHeader(header), new Uint8Array(new Float32Array(length).fill(value).buffer)])
}

/** A short control message as it is on the stream. */
export function behindLength(message: ControlMessage): Uint8Array {
  return encode.single(encodeControl(message)).subarray()
}

/** Many pings in one piece. */
export function pings(count: number): Uint8Array {
  const ping = behindLength({ kind: 'ping', at: 0, padding: '' })
  return Buffer.concat(Array.from({ length: count }, () => ping))
}
