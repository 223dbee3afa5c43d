import type { Stream } from '@libp2p/interface'
import { afterTurn } from '../base/clock.js'

/**
 * The most bytes that libp2p may read to agree on the protocol of a stream: the names of a few. It reads them all in
 * one turn.
 */
const maxRead = 1 << 10

/** Bytes, in one piece or several. */
interface ByteData {
  readonly byteLength: number
}

/** The method exists on streams, though not in libp2p's types. */
interface ReadStream extends Stream {
  onData?(data: ByteData): void
}

/**
 * Bounds what the other end sends on a stream whose protocol is not agreed on. While the stream cannot write, libp2p
 * does not know that its answer has arrived, and bytes of the protocol itself may come: they are held back until it
 * can.
 */
export class Negotiation {
  readonly #stream: ReadStream
  readonly #onData: ((data: ByteData) => void) | undefined
  readonly #onExcess: () => void
  readonly #onHeld: () => void
  #read = 0
  #held: ByteData[] = []

  /**
   * @param onExcess - called when the other end sends more than the names of a few protocols
   * @param onHeld - called when bytes are held back
   */
  constructor(stream: Stream, onExcess: () => void, onHeld: () => void) {
    this.#stream = stream
    this.#onExcess = onExcess
    this.#onHeld = onHeld
    this.#onData = this.#stream.onData
    this.#stream.onData = (data) => this.#take(data)
    stream.addEventListener('drain', this.#drained)
    // What came before libp2p was ready.
    this.#count(stream.readBufferLength)
  }

  /** The number of bytes that are held back. */
  get held(): number {
    return this.#held.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  #take(data: ByteData): void {
    if (this.#stream.protocol !== '') {
      this.#end()
      this.#onData?.call(this.#stream, data)
    } else if (this.#stream.writableNeedsDrain) {
      this.#held.push(data)
      this.#onHeld()
    } else if (this.#count(data.byteLength)) {
      this.#onData?.call(this.#stream, data)
    }
  }

  /** Counts bytes that libp2p is given to read. Returns false when they are too many. */
  #count(bytes: number): boolean {
    this.#read += bytes
    const isAllowed = this.#read <= maxRead
    if (!isAllowed) this.#onExcess()
    return isAllowed
  }

  /** libp2p continues in this turn, so the protocol is known in the next one. */
  readonly #drained = () => void afterTurn(() => this.#resume())

  #resume(): void {
    if (this.#stream.protocol !== '') return this.#end()
    const held = this.#held
    this.#held = []
    for (const data of held) this.#take(data)
  }

  /** Lets the stream read by itself, what was held back first. */
  #end(): void {
    this.#stream.removeEventListener('drain', this.#drained)
    delete this.#stream.onData
    const held = this.#held
    this.#held = []
    for (const data of held) this.#onData?.call(this.#stream, data)
  }
}
