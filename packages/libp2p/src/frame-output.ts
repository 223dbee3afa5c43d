import type { Stream } from '@libp2p/interface'
import { frameNumbers } from '@murmuration/wire'
import { Uint8ArrayList } from 'uint8arraylist'
import type { QueuedVector } from './send-queue.js'

/** The most bytes that wait in libp2p's buffer of a stream before more is written: those of a frame. */
export const waitingBytes = 4 * frameNumbers

/** Where the frames of vectors go. */
export interface FrameOutput {
  /** Whether more can be sent. */
  readonly isOpen: boolean
  /**
   * A vector begins.
   *
   * @param inFlight - how many vectors are unacknowledged, this one among them
   */
  begin(vector: QueuedVector, inFlight: number): void
  /** Memory for the body of the next frame, which is sent then or not at all. Of its bytes those count that are sent. */
  room(bytes: number): Uint8Array
  /** Sends a frame, and waits until the next one may follow. Throws when it cannot be sent any more. */
  send(header: Uint8Array, body: Uint8Array): Promise<void>
}

/** A stream of libp2p. */
export class StreamOutput implements FrameOutput {
  readonly #stream: Stream
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

  /** Memory of which only what is written to takes up any. */
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
   * Waits until nothing before the frame waits in libp2p's buffer. Header and body go out together: what is sent alone
   * comes back as a window of its size, and from then on yamux cuts the stream into tiny frames. A wait ends when the stream does.
   */
  async send(header: Uint8Array, body: Uint8Array): Promise<void> {
    const bytes = header.byteLength + body.byteLength
    if (this.#turn !== undefined && body.buffer === this.#stagings[this.#turn].buffer) this.#end += body.byteLength
    this.#stream.send(new Uint8ArrayList(header, body))
    while (this.#stream.writeBufferLength > bytes) await room(this.#stream)
  }
}

/** What is thrown when there is nothing more to write to. */
export function closed(): Error {
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
