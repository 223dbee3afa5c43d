import { dialChannel } from '#platform/links/channel/channels.js'
import type { TLSSocket } from 'node:tls'
import type { Budget, Milliseconds } from '@murmuration/core'
import { fromString } from '#platform/libraries/base.js'
import type { ControlChannel } from '../control-channel.js'
import { type ControlMessage, ProtocolFault } from '../control-messages.js'
import type { FrameReader } from '../../vectors/frame-reader.js'

/** A link on which vectors may arrive over a data channel. */
export interface ChannelReceiver {
  readonly control: Pick<ControlChannel, 'send'>
  /** The neighbour's IP address; `undefined` when it must not be called. */
  readonly host: string | undefined
  /** The timeout of a call. */
  readonly limit: Milliseconds
  /** How often the neighbour may make this peer call it. */
  readonly calls: Budget
  /** Creates the reader of the vectors on a channel. */
  createReader(): FrameReader
  /** Called before bytes are read. Returns whether they may be read. */
  arrived(bytes: number): boolean
  /** Releases the memory of an incomplete vector. */
  discard(vector: Float32Array | undefined): void
}

/** The data channel from a neighbour within one handshake, if the neighbour offers one. */
export class IncomingChannel {
  readonly #receiver: ChannelReceiver
  #socket: TLSSocket | undefined
  #reader: FrameReader | undefined
  /**
   * The last vector before the switch to the channel, while the neighbour waits for confirmation that it has arrived.
   */
  #movesAfter: number | undefined
  #isUsed = false

  constructor(receiver: ChannelReceiver) {
    this.#receiver = receiver
  }

  /** Whether bytes have arrived over it. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /**
   * Connects the offered channel, which replaces an earlier one. When that is not possible the offer expires, and the
   * neighbour continues to write to the stream. Throws a ProtocolFault when a channel is already in use.
   */
  offered({ port, id, key }: Extract<ControlMessage, { kind: 'channel' }>): void {
    const { host, limit, calls } = this.#receiver
    if (this.#isUsed) throw new ProtocolFault('it offers a second data channel while it uses one')
    if (host === undefined || !calls.spend()) return
    this.end()
    const reader = this.#receiver.createReader()
    const socket = dialChannel({ host, port, id, key: fromString(key, 'base64pad') }, limit, {
      get destination() {
        return reader.destination
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

  /** The neighbour will write to the channel next, once all vectors up to `sequence` have arrived. */
  move(sequence: number, received: number): void {
    this.#movesAfter = sequence
    this.confirm(received)
  }

  /** Tells the neighbour that it may continue, if the vector that it waits for has arrived. */
  confirm(received: number): void {
    if (this.#movesAfter === undefined || received < this.#movesAfter) return
    this.#receiver.control.send({ kind: 'moved', sequence: this.#movesAfter })
    this.#movesAfter = undefined
  }

  /** Ends the channel. Nothing is written to memory afterwards. */
  end(): void {
    this.#socket?.destroy()
    this.#receiver.discard(this.#reader?.end())
  }
}
