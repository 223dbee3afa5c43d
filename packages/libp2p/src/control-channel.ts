import type { Stream } from '@libp2p/interface'
import { messageStreamToDuplex } from '@libp2p/utils'
import { type Milliseconds, messageOf } from '@murmuration/core'
import { decode, encode } from 'it-length-prefixed'
import { pipe } from 'it-pipe'
import { type Pushable, pushable } from 'it-pushable'
import type { Uint8ArrayList } from 'uint8arraylist'
import { controlBytes } from './constants.js'
import { type ControlMessage, decodeControl, encodeControl } from './control-messages.js'
import type { TrafficMeter } from './traffic.js'

/** Small messages both ways over one libp2p stream, each behind its length. */
export class ControlChannel {
  /** The messages in order. Ends when the neighbour closes; throws when the stream breaks or a message is wrong. */
  readonly messages: AsyncGenerator<ControlMessage>
  readonly #stream: Stream
  readonly #outbox: Pushable<Uint8Array> = pushable()
  readonly #writing: Promise<void>

  constructor(stream: Stream, meter: TrafficMeter) {
    this.#stream = stream
    const duplex = messageStreamToDuplex(stream)
    this.#writing = pipe(this.#outbox, prefix, (source) => countSent(source, meter), duplex.sink).catch((error) =>
      this.abort(messageOf(error))
    )
    this.messages = pipe(
      duplex.source,
      (source) => decode(source, { maxDataLength: controlBytes }),
      (source) => read(source, meter)
    )
  }

  /** Sends a message. Cuts the stream when the neighbour has not read for so long that a lot has piled up. */
  send(message: ControlMessage): void {
    if (this.#outbox.readableLength > controlBytes) this.abort('control messages pile up unread')
    else this.#outbox.push(encodeControl(message))
  }

  /** The first message, which has to come within `limit`. Throws when it does not, or when it is none. */
  async first(limit: Milliseconds): Promise<ControlMessage> {
    const timer = setTimeout(() => this.abort(`no answer within ${limit / 1000} s`), limit)
    try {
      const { value, done } = await this.messages.next()
      if (done) throw new Error('the stream was closed before the first message')
      return value
    } finally {
      clearTimeout(timer)
    }
  }

  /** Writes out what was sent and closes; cuts the stream when that takes longer than `limit`. */
  async close(limit: Milliseconds): Promise<void> {
    const timer = setTimeout(() => this.abort(`not closed within ${limit / 1000} s`), limit)
    this.#outbox.end()
    await this.#writing
    clearTimeout(timer)
  }

  /** Ends both directions at once. */
  abort(why: string): void {
    this.#outbox.end()
    this.#stream.abort(new Error(why))
  }
}

async function* prefix(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8ArrayList> {
  for await (const bytes of source) yield encode.single(bytes)
}

async function* countSent(source: AsyncIterable<Uint8ArrayList>, meter: TrafficMeter): AsyncGenerator<Uint8ArrayList> {
  for await (const bytes of source) {
    meter.sentBytes += bytes.byteLength
    yield bytes
  }
}

async function* read(source: AsyncIterable<Uint8ArrayList>, meter: TrafficMeter): AsyncGenerator<ControlMessage> {
  for await (const bytes of source) {
    meter.receivedBytes += encode.single(bytes).byteLength
    yield decodeControl(bytes.subarray())
  }
}
