import { bodyOf, type EncodedBody, type Lane, rawCodecId, writePacked } from '@murmuration/vectors'
import { encodeHeader, frameNumbers, numberBytes } from '@murmuration/wire'
import type { Signal } from '../base/signal.js'
import { realClock } from '../base/clock.js'
import { closed, type FrameOutput } from '../vectors/frame-output.js'
import type { LinkSpeed } from '../vectors/link-speed.js'
import type { Neighbour } from './neighbour.js'
import type { QueuedVector, SendQueue } from '../vectors/send-queue.js'
import type { TrafficMeter } from '../base/traffic.js'

/** Encodes numbers in fewer bytes. */
export interface BodyEncoder {
  /** The most bytes of a body with `count` numbers. */
  maxBytes(count: number): number
  /**
   * Writes the body of `values`, which begin at index `offset` of the parameters, to `out`. Returns its codec and its
   * length.
   */
  encode(lane: Lane, values: Float32Array, offset: number, out: Uint8Array): EncodedBody
  /** Forgets earlier bodies: the receiver no longer has them. */
  reset(): void
}

const none: readonly number[] = []

/** Writes the vectors of a queue to a stream, and after a switch to a data channel. */
export class ExchangeWriter {
  readonly #queue: SendQueue
  /** Notified when there may be another vector to write. */
  readonly #work: Signal
  readonly #meter: TrafficMeter
  readonly #speed: LinkSpeed
  readonly #encoder: BodyEncoder | undefined
  /** The output from the next vector on, if it changes. */
  #next: FrameOutput | undefined
  #isHeld = false
  /** The epoch of the last vector. */
  #epoch = 0

  constructor(queue: SendQueue, work: Signal, neighbour: Pick<Neighbour, 'meter' | 'speed'>, encoder?: BodyEncoder) {
    this.#queue = queue
    this.#work = work
    this.#meter = neighbour.meter
    this.#speed = neighbour.speed
    this.#encoder = encoder
  }

  /** Writes vectors as the window allows. Throws when an output is closed. */
  async writeTo(first: FrameOutput): Promise<never> {
    this.#encoder?.reset()
    for (let output = first; ;) {
      output = this.#next ?? output
      if (!first.isOpen || !output.isOpen) throw closed()
      const queued = this.#isHeld ? undefined : this.#queue.next()
      if (queued === undefined) await this.#work.wait()
      else await this.#write(output, queued)
    }
  }

  /** Begins no vector until `goOn`. Returns the sequence number of the last one that was begun. */
  hold(): number {
    this.#isHeld = true
    return this.#queue.handedOut
  }

  /** Continues with the next vector, on `output` if given. */
  goOn(output?: FrameOutput): void {
    this.#next ??= output
    this.#isHeld = false
    this.#work.notify()
  }

  async #write(output: FrameOutput, queued: QueuedVector): Promise<void> {
    const { kind, round, sequence, part, epoch, field, offset, vector } = queued
    const { length } = vector
    const began = realClock.now()
    if (offset === 0) this.#speed.began(began)
    // Some vectors of an earlier epoch may have been dropped.
    if (queued.startsAnew || epoch !== this.#epoch) this.#encoder?.reset()
    this.#epoch = epoch
    output.begin(queued, this.#queue.inFlight)
    let numbers = queued.numbers ?? none
    let position = 0
    let payload = numberBytes(numbers)
    const raw = payload + vector.byteLength
    do {
      const count = Math.min(frameNumbers, length - position)
      const values = vector.subarray(position, position + count)
      const { codec, body } = this.#bodyOf(output, queued, values, offset + position)
      const bytes = body.byteLength
      const header = { codec, kind, round, sequence, part, epoch, field, offset, length, position, count, bytes }
      const head = encodeHeader(header, numbers)
      this.#meter.sentBytes += head.byteLength + bytes
      await output.send(head, body)
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
    output: FrameOutput,
    queued: QueuedVector,
    values: Float32Array,
    offset: number
  ): { readonly codec: number; readonly body: Uint8Array } {
    const encoder = this.#encoder
    const { packed } = queued
    if (encoder === undefined && !packed) return { codec: rawCodecId, body: bodyOf(values) }
    const out = output.room(encoder === undefined || packed ? values.byteLength : encoder.maxBytes(values.length))
    const { id, bytes } =
      encoder === undefined || packed ? writePacked(values, out) : encoder.encode(queued, values, offset, out)
    return { codec: id, body: out.subarray(0, bytes) }
  }
}
