import type { Stream } from '@libp2p/interface'
import { bodyOf, type EncodedBody, type Lane, rawCodecId, writePacked } from '@murmuration/vectors'
import { encodeHeader, frameNumbers, numberBytes } from '@murmuration/wire'
import { Uint8ArrayList } from 'uint8arraylist'
import type { Signal } from './signal.js'
import { realClock } from './clock.js'
import type { LinkSpeed } from './link-speed.js'
import type { Neighbour } from './neighbour.js'
import type { QueuedVector, SendQueue } from './send-queue.js'
import type { TrafficMeter } from './traffic.js'

/** What writes numbers in fewer bytes. */
export interface BodyEncoder {
  /** The most bytes of a body with so many numbers. */
  maxBytes(count: number): number
  /** Writes the body of `values`, which begin with number `offset` of the parameters, to `out`: its codec and its length. */
  encode(lane: Lane, values: Float32Array, offset: number, out: Uint8Array): EncodedBody
  /** The far side has nothing any more that bodies could build on. */
  reset(): void
}

/** The most bytes that wait in libp2p's buffer of a stream before more is written: those of a frame. */
export const waitingBytes = 4 * frameNumbers

const none: readonly number[] = []

/** Writes the vectors of a queue to a stream, and after a reconnection to the next one. */
export class ExchangeWriter {
  readonly #queue: SendQueue
  /** Notified when there may be another vector to write. */
  readonly #work: Signal
  readonly #meter: TrafficMeter
  readonly #speed: LinkSpeed
  readonly #encoder: BodyEncoder | undefined
  readonly #elements: number
  /**
   * Encoded bodies of two vectors in turn. They stay as they are until their vector is acknowledged: nothing tells before when the
   * layers below, which keep references, have encrypted them.
   */
  readonly #stagings = [new Uint8Array(0), new Uint8Array(0)]
  /** Which of them is written to, and where the next body goes in it; none while more than two vectors are on their way. */
  #turn: 0 | 1 | undefined
  #end = 0

  /** @param elements - how many numbers a whole vector has */
  constructor(
    queue: SendQueue,
    work: Signal,
    neighbour: Pick<Neighbour, 'meter' | 'speed'>,
    elements: number,
    encoder?: BodyEncoder
  ) {
    this.#elements = elements
    this.#queue = queue
    this.#work = work
    this.#meter = neighbour.meter
    this.#speed = neighbour.speed
    this.#encoder = encoder
  }

  /** Writes vectors as the window allows, until the stream is closed, and then throws. */
  async writeTo(stream: Stream): Promise<never> {
    const wake = () => this.#work.notify()
    stream.addEventListener('close', wake)
    this.#encoder?.reset()
    try {
      for (;;) {
        if (stream.status !== 'open') throw closed()
        const queued = this.#queue.next()
        if (queued === undefined) await this.#work.wait()
        else await this.#write(stream, queued)
      }
    } finally {
      stream.removeEventListener('close', wake)
    }
  }

  async #write(stream: Stream, queued: QueuedVector): Promise<void> {
    const { kind, round, sequence, part, field, offset, vector } = queued
    const { length } = vector
    const began = realClock.now()
    if (offset === 0) this.#speed.began(began)
    if (queued.startsAnew) this.#encoder?.reset()
    this.#turn = this.#queue.inFlight > 2 ? undefined : sequence % 2 === 0 ? 0 : 1
    this.#end = 0
    let numbers = queued.numbers ?? none
    let position = 0
    let payload = numberBytes(numbers)
    const raw = payload + vector.byteLength
    do {
      const count = Math.min(frameNumbers, length - position)
      const { codec, body } = this.#bodyOf(queued, vector.subarray(position, position + count), offset + position)
      const bytes = body.byteLength
      const header = { codec, kind, round, sequence, part, field, offset, length, position, count, bytes }
      await this.#send(stream, encodeHeader(header, numbers), body)
      numbers = none
      position += count
      payload += bytes
    } while (position < length)
    if (queued.written) {
      this.#meter.retransmissions++
    } else {
      this.#meter.sentFrames++
      this.#meter.sentPayload += payload
      this.#meter.sentRaw += raw
    }
    queued.written = true
    queued.progress = { began, bytes: payload }
  }

  #bodyOf(
    queued: QueuedVector,
    values: Float32Array,
    offset: number
  ): { readonly codec: number; readonly body: Uint8Array } {
    const encoder = this.#encoder
    const { packed } = queued
    if (encoder === undefined && !packed) return { codec: rawCodecId, body: bodyOf(values) }
    const out = this.#room(encoder === undefined || packed ? values.byteLength : encoder.maxBytes(values.length))
    const { id, bytes } =
      encoder === undefined || packed ? writePacked(values, out) : encoder.encode(queued, values, offset, out)
    this.#end += bytes
    return { codec: id, body: out.subarray(0, bytes) }
  }

  /** Memory for one body, of which only what is written to takes up any. */
  #room(bytes: number): Uint8Array {
    if (this.#turn === undefined) return new Uint8Array(bytes)
    if (this.#stagings[this.#turn].byteLength === 0) {
      this.#stagings[this.#turn] = new Uint8Array(4 * this.#elements + bytes)
    }
    const staging = this.#stagings[this.#turn]
    const end = this.#end + bytes
    return end <= staging.byteLength ? staging.subarray(this.#end, end) : new Uint8Array(bytes)
  }

  /**
   * Sends a frame, and waits until nothing before it waits in libp2p's buffer. Header and body go out together: what is sent alone
   * comes back as a window of its size, and from then on yamux cuts the stream into tiny frames. A wait ends when the stream does.
   */
  async #send(stream: Stream, header: Uint8Array, body: Uint8Array): Promise<void> {
    const bytes = header.byteLength + body.byteLength
    stream.send(new Uint8ArrayList(header, body))
    this.#meter.sentBytes += bytes
    while (stream.writeBufferLength > bytes) await room(stream)
  }
}

function closed(): Error {
  return new Error('the stream of vectors was closed')
}

/**
 * Resolves when the stream has written something, rejects when it is closed. Not `stream.onDrain()`, whose promise stays
 * resolved after the first time.
 */
export function room(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    // Nothing more happens to one that has ended.
    if (stream.status !== 'open') return reject(closed())
    const settle = (act: () => void) => {
      stream.removeEventListener('drain', ready)
      stream.removeEventListener('idle', ready)
      stream.removeEventListener('close', gone)
      act()
    }
    const ready = () => settle(resolve)
    const gone = () => settle(() => reject(closed()))
    stream.addEventListener('drain', ready)
    stream.addEventListener('idle', ready)
    stream.addEventListener('close', gone)
  })
}
