import type { Stream } from '@libp2p/interface'
import { type Milliseconds, messageOf } from '@murmuration/core'
import type { Pushable } from 'it-pushable'
import type { Uint8ArrayList } from 'uint8arraylist'
import { decode, encode, pipe, pushable } from '#platform/libraries/base.js'
import { afterTurn, type SystemTimer } from '../base/clock.js'
import { controlBytes } from '../base/constants.js'
import { type ControlMessage, decodeControl, encodeControl, ProtocolFault } from './control-messages.js'
import { room } from '../vectors/frame-output.js'
import { limitWindow } from '../vectors/stream-window.js'
import type { TrafficMeter } from '../base/traffic.js'

/** The most unread bytes: messages that follow wait during a handshake. */
const unreadBytes = 4 * controlBytes

/** How many messages are handled per turn of the event loop: some milliseconds of work. */
const messagesPerTurn = 100

/** Small messages in both directions over one libp2p stream, each with a length prefix. */
export class ControlChannel {
  /** The messages in order. Ends when the neighbour closes; throws when the stream breaks or a message is wrong. */
  readonly messages: AsyncGenerator<ControlMessage>
  readonly #stream: Stream
  readonly #outbox: Pushable<Uint8Array> = pushable()
  readonly #inbox: Pushable<Uint8Array | Uint8ArrayList> = pushable()
  readonly #writing: Promise<void>
  /** Resolves when both directions of the stream have ended. */
  readonly #ended: Promise<void>

  constructor(stream: Stream, meter: TrafficMeter) {
    this.#stream = stream
    // Otherwise the window grows to that of vectors, and that much of a flood is buffered before the first message is
    // counted.
    limitWindow(stream, controlBytes)
    this.#ended = this.#listen(stream)
    this.#writing = pipe(
      this.#outbox,
      prefix,
      (source) => countSent(source, meter),
      (source) => write(source, stream)
    ).catch((error) => this.abort(messageOf(error)))
    this.messages = pipe(
      this.#inbox,
      (source) => cut(source),
      (source) => read(source, meter)
    )
  }

  /** Sent bytes that still wait on this side. */
  get backlog(): number {
    return this.#outbox.readableLength + this.#stream.writeBufferLength
  }

  /** Sends a message. Cuts the stream when more than {@link controlBytes} wait because the neighbour does not read. */
  send(message: ControlMessage): void {
    if (this.#outbox.readableLength > controlBytes) this.abort('the receiver does not read its control messages')
    else this.#outbox.push(encodeControl(message))
  }

  /** The first message. Throws when none arrives within `limit`. */
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

  /**
   * Writes out the sent messages, closes, and waits until the neighbour has closed, too: only then has it read them. A
   * connection that ends while its vectors are on the way here is reset, and a reset discards what it has not read.
   * Cuts the stream when all this takes longer than `limit`.
   */
  async close(limit: Milliseconds): Promise<void> {
    let timer: SystemTimer | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.abort(`not closed within ${limit / 1000} s`)
        resolve()
      }, limit)
    })
    this.#outbox.end()
    // Closing a stream that is cut while its buffer is full may never resolve.
    await Promise.race([this.#writing.then(() => this.#ended), late])
    clearTimeout(timer)
  }

  /** Ends both directions at once. */
  abort(reason: string): void {
    this.#outbox.end()
    // Aborting a stream that has ended has no effect, and a wait for a message would last forever.
    this.#inbox.end(new Error(reason))
    this.#stream.abort(new Error(reason))
  }

  /**
   * Queues the received bytes until the end of the stream, which may already be past. Resolves when both directions
   * have ended.
   */
  #listen(stream: Stream): Promise<void> {
    stream.addEventListener('message', ({ data }) => {
      if (this.#inbox.readableLength <= unreadBytes) return void this.#inbox.push(data)
      const reason = 'control messages arrive faster than they are read'
      this.#inbox.end(new ProtocolFault(reason, 'flood'))
      this.abort(reason)
    })
    stream.addEventListener('remoteCloseWrite', () => this.#inbox.end())
    const ended = new Promise<void>((resolve) => {
      if (stream.status !== 'open') resolve()
      stream.addEventListener('close', ({ error }) => {
        this.#inbox.end(error)
        this.#outbox.end()
        resolve()
      })
    })
    // Buffered bytes come first: in the microtask that adding the listener has queued.
    const hasEnded = stream.status !== 'open' || stream.remoteWriteStatus === 'closed'
    if (hasEnded) queueMicrotask(() => this.#inbox.end())
    return ended
  }
}

/** Writes the source to the stream, then closes the writing end. */
async function write(source: AsyncIterable<Uint8ArrayList>, stream: Stream): Promise<void> {
  for await (const bytes of source) {
    if (stream.status !== 'open') return
    stream.send(bytes)
    while (stream.writeBufferLength > controlBytes) await room(stream)
  }
  await stream.close()
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

/** Messages without their length prefixes. Throws a {@link ProtocolFault} for an invalid length. */
async function* cut(source: AsyncIterable<Uint8Array | Uint8ArrayList>): AsyncGenerator<Uint8ArrayList> {
  try {
    yield* decode(source, { maxDataLength: controlBytes })
  } catch (error) {
    if (error instanceof Error && lengthErrors.has(error.name)) {
      throw new ProtocolFault(`a control message has an invalid length; expected at most ${controlBytes} bytes`)
    }
    throw error
  }
}
const lengthErrors: ReadonlySet<string> = new Set([
  'InvalidMessageLengthError',
  'InvalidDataLengthError',
  'InvalidDataLengthLengthError'
])

/**
 * Decodes messages. After every {@link messagesPerTurn} of them it yields to the event loop: timers, sockets, other
 * neighbours.
 */
async function* read(source: AsyncIterable<Uint8ArrayList>, meter: TrafficMeter): AsyncGenerator<ControlMessage> {
  let count = 0
  for await (const bytes of source) {
    if (++count % messagesPerTurn === 0) await new Promise<void>(afterTurn)
    meter.receivedBytes += encode.single(bytes).byteLength
    yield decodeControl(bytes.subarray())
  }
}
