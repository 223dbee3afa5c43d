import type { Stream } from '@libp2p/interface'
import { frameNumbers } from '@murmuration/wire'
import { Uint8ArrayList } from '#platform/libraries/base.js'
import type { QueuedVector } from './send-queue.js'

/** The most bytes in libp2p's write buffer of a stream before more is written: those of a frame. */
export const waitingBytes = 4 * frameNumbers

/** An output for the frames of vectors. */
export interface FrameOutput {
  /** Whether more frames can be sent. */
  readonly isOpen: boolean
  /**
   * A vector begins.
   *
   * @param inFlight - how many vectors are unacknowledged, including this one
   */
  begin(vector: QueuedVector, inFlight: number): void
  /** Memory for the body of the next frame, valid only for that frame. `send` may use fewer bytes of it. */
  room(bytes: number): Uint8Array
  /** Sends a frame, and waits until the next one may follow. Throws when the output is closed. */
  send(header: Uint8Array, body: Uint8Array): Promise<void>
}

/** Writes frames to a stream of libp2p. */
export class StreamOutput implements FrameOutput {
  readonly #stream: Stream
  readonly #elements: number
  /**
   * Encoded bodies of two vectors, alternating. They must not change until their vector is acknowledged: the layers
   * below keep references, and do not report when they have encrypted them.
   */
  readonly #stagings = [new Uint8Array(0), new Uint8Array(0)]
  /**
   * The buffer that is written to, and the next position in it; none while more than two vectors are unacknowledged.
   */
  #turn: 0 | 1 | undefined
  #end = 0

  /** @param elements - how many numbers a whole vector has */
  constructor(stream: Stream, elements: number) {
    this.#stream = stream
    this.#elements = elements
  }

  get isOpen(): boolean {
    return this.#stream.status === 'open'
  }

  begin({ sequence }: QueuedVector, inFlight: number): void {
    this.#turn = inFlight > 2 ? undefined : sequence % 2 === 0 ? 0 : 1
    this.#end = 0
  }

  /** The system allocates only the pages of it that are written to. */
  room(bytes: number): Uint8Array {
    if (this.#turn === undefined) return new Uint8Array(bytes)
    if (this.#stagings[this.#turn].byteLength === 0) {
      this.#stagings[this.#turn] = new Uint8Array(4 * this.#elements + bytes)
    }
    const staging = this.#stagings[this.#turn]
    const end = this.#end + bytes
    return end <= staging.byteLength ? staging.subarray(this.#end, end) : new Uint8Array(bytes)
  }

  /**
   * Sends, and waits until only this frame is in libp2p's buffer. Header and body are sent together: a header alone
   * would return as a window update of its size, and from then on yamux would cut the stream into tiny frames. A wait
   * ends when the stream ends.
   */
  async send(header: Uint8Array, body: Uint8Array): Promise<void> {
    const bytes = header.byteLength + body.byteLength
    if (this.#turn !== undefined && body.buffer === this.#stagings[this.#turn].buffer) this.#end += body.byteLength
    this.#stream.send(new Uint8ArrayList(header, body))
    while (this.#stream.writeBufferLength > bytes) await room(this.#stream)
  }
}

/** The error for an output that is closed. */
export function closed(): Error {
  return new Error('the stream of vectors was closed')
}

/**
 * Resolves when the stream has written bytes. Rejects when it is closed. It does not use `stream.onDrain()`: that
 * promise stays resolved after the first time.
 */
export function room(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    // A stream that has ended emits no more events.
    if (stream.status !== 'open') return reject(closed())
    const settle = (act: () => void) => {
      stream.removeEventListener('drain', onReady)
      stream.removeEventListener('idle', onReady)
      stream.removeEventListener('close', onClose)
      act()
    }
    const onReady = () => settle(resolve)
    const onClose = () => settle(() => reject(closed()))
    stream.addEventListener('drain', onReady)
    stream.addEventListener('idle', onReady)
    stream.addEventListener('close', onClose)
  })
}
