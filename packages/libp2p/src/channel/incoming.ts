import type { TLSSocket } from 'node:tls'
import type { Milliseconds } from '@murmuration/core'
import type { Budget } from '../budget.js'
import type { ControlChannel } from '../control-channel.js'
import { type ControlMessage, ProtocolFault } from '../control-messages.js'
import type { FrameReader } from '../frame-reader.js'
import { dialChannel } from './dial.js'

/** A link whose vectors may come over a data channel. */
export interface ChannelReceiver {
  readonly control: Pick<ControlChannel, 'send'>
  /** The neighbour's IP address; absent where it is not to be called. */
  readonly host: string | undefined
  /** How long a call may take. */
  readonly limit: Milliseconds
  /** How often the neighbour may have itself called. */
  readonly calls: Budget
  /** What reads the vectors that come over a channel. */
  createReader(): FrameReader
  /** Called before bytes are read. Returns whether they may be. */
  arrived(bytes: number): boolean
  /** Takes the memory of a vector back that did not become complete. */
  discard(vector: Float32Array | undefined): void
}

/** The data channel from a neighbour within one handshake, as far as the neighbour offers one. */
export class IncomingChannel {
  readonly #receiver: ChannelReceiver
  #socket: TLSSocket | undefined
  #reader: FrameReader | undefined
  /** After which vector the neighbour writes to it, when it waits for that to arrive. */
  #movesAfter: number | undefined
  #isUsed = false

  constructor(receiver: ChannelReceiver) {
    this.#receiver = receiver
  }

  /** Whether vectors have come over it. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /**
   * Calls for the channel that is offered, in place of one before. Where none can be had the offer expires: the neighbour goes on writing to
   * the stream. Throws a ProtocolFault when one is used already.
   */
  offered({ port, id, key }: Extract<ControlMessage, { kind: 'channel' }>): void {
    const { host, limit, calls } = this.#receiver
    if (this.#isUsed) throw new ProtocolFault('it offers a data channel beside the one that it uses')
    if (host === undefined || !calls.spend()) return
    this.end()
    const reader = this.#receiver.createReader()
    const socket = dialChannel({ host, port, id, key: Buffer.from(key, 'base64') }, limit, {
      get place() {
        return reader.place
      },
      advance: (count) => {
        this.#isUsed = true
        if (this.#receiver.arrived(count)) reader.advance(count)
      }
    })
    socket.once('close', () => this.#receiver.discard(reader.end()))
    this.#reader = reader
    this.#socket = socket
  }

  /** The neighbour writes to it next, and waits until all vectors up to this one have arrived. */
  move(sequence: number, received: number): void {
    this.#movesAfter = sequence
    this.confirm(received)
  }

  /** Tells the neighbour that it may go on, if it waits for the last vector that was received. */
  confirm(received: number): void {
    if (this.#movesAfter === undefined || received < this.#movesAfter) return
    this.#receiver.control.send({ kind: 'moved', sequence: this.#movesAfter })
    this.#movesAfter = undefined
  }

  /** Ends it. Nothing is written to memory any more. */
  end(): void {
    this.#socket?.destroy()
    this.#receiver.discard(this.#reader?.end())
  }
}
