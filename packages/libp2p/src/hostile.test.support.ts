/** Handwritten messages, valid and invalid, for tests with a hostile neighbour. */
import type { Connection } from '@libp2p/interface'
import type { PeerName } from '@murmuration/core'
import { encodeHeader } from '@murmuration/wire'
import { encode } from 'it-length-prefixed'
import { controlProtocol, protocolVersion } from './constants.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, encodeControl } from './control-messages.js'
import type { RunSettings } from './run-settings.js'
import { TrafficMeter } from './traffic.js'

/** Sends a hello, and takes the answer. */
export async function sayHello(connection: Connection, name: PeerName, runSettings: RunSettings, incarnation = 'x') {
  const stream = await connection.newStream(controlProtocol)
  const channel = new ControlChannel(stream, new TrafficMeter())
  const rest = { name, incarnation, first: 1, round: 0, codecs: [] }
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
  const ping = behindLength({ kind: 'ping', round: 0, at: 0, padding: '' })
  return Buffer.concat(Array.from({ length: count }, () => ping))
}
