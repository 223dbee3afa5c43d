import type { TLSSocket } from 'node:tls'
import type { Milliseconds } from '@murmuration/core'
import { realClock } from '../../base/clock.js'
import { textOf } from '#platform/libraries/base.js'
import type { LinkContext } from '../context.js'
import type { ControlChannel } from '../control-channel.js'
import { ProtocolFault } from '../control-messages.js'
import type { ExchangeWriter } from '../exchange-writer.js'
import type { ChannelListener, ChannelOffer } from './listener.js'
import { ChannelOutput } from './output.js'

/** A link on which vectors may be sent over a data channel. */
export interface ChannelUser {
  readonly control: ControlChannel
  /** The neighbour's IP address, if it is connected over plain TCP. */
  readonly host: string | undefined
  readonly writer: Pick<ExchangeWriter, 'hold' | 'goOn'>
}

/** A link, and the state of its channel. */
interface ChannelSession extends ChannelUser {
  offer?: ChannelOffer
  socket?: TLSSocket
  output?: ChannelOutput
  isTried: boolean
  /** The vector up to which the neighbour was last asked to confirm arrival. */
  question: number
  /** How many such questions are unanswered. */
  unanswered: number
}

/**
 * The data channel to one neighbour. It is offered when vectors are long. After a failure it is offered again; the wait
 * doubles each time until a vector is acknowledged. Until it is open, vectors go over the stream of libp2p, so nothing
 * waits for it.
 */
export class OutgoingChannel {
  readonly #context: LinkContext
  #session: ChannelSession | undefined
  #failures = 0
  #restsUntil: Milliseconds = Number.NEGATIVE_INFINITY

  constructor(context: LinkContext) {
    this.#context = context
  }

  /** Whether vectors are sent over it. */
  get isUsed(): boolean {
    return this.#session?.output?.isUsed === true
  }

  /** To be called when a link begins. */
  begin(user: ChannelUser): void {
    this.end()
    this.#session = { ...user, isTried: false, question: -1, unanswered: 0 }
  }

  /**
   * Offers a channel, if vectors are long enough and the neighbour can be offered one. To be called when there are
   * vectors to send.
   */
  consider(): void {
    const session = this.#session
    const { channels, elements, limits } = this.#context
    if (session === undefined || session.isTried || channels === undefined) return
    if (4 * elements < limits.channelFrom || realClock.now() < this.#restsUntil) return
    session.isTried = true
    if (session.host !== undefined) void this.#offer(session, session.host, channels)
  }

  /**
   * All vectors up to this one have arrived, so that no later vector can overtake them. Throws a ProtocolFault for an
   * answer without a question.
   */
  moved(sequence: number): void {
    const session = this.#session
    // The answer to an earlier question may arrive after its channel has broken.
    if (session === undefined || sequence > session.question || session.unanswered === 0)
      throw new ProtocolFault(`it confirms vector ${sequence} without a question`)
    session.unanswered--
    if (sequence === session.question && session.output?.isOpen) session.writer.goOn(session.output)
  }

  /** The neighbour has acknowledged a vector. */
  acknowledged(): void {
    if (this.isUsed) this.#failures = 0
  }

  /** To be called when the link ends. */
  end(): void {
    const session = this.#session
    this.#session = undefined
    session?.offer?.withdraw()
    session?.socket?.destroy()
  }

  async #offer(session: ChannelSession, host: string, channels: ChannelListener): Promise<void> {
    const offer = await channels.offer(host)
    if (offer === undefined) return
    if (session !== this.#session) return offer.withdraw()
    session.offer = offer
    const { port, id, key } = offer
    session.control.send({ kind: 'channel', port, id, key: textOf(key, 'base64pad') })
    const socket = await offer.taken
    if (session !== this.#session) socket?.destroy()
    else if (socket === undefined) this.#fail(session)
    else this.#use(session, socket)
  }

  #use(session: ChannelSession, socket: TLSSocket): void {
    const { control, writer } = session
    session.socket = socket
    session.output = new ChannelOutput(socket)
    socket.once('close', () => {
      if (session === this.#session) this.#fail(session)
    })
    // The neighbour sends no data on it. Without reading, the end of the socket would not be detected.
    socket.on('data', () => socket.destroy())
    session.question = writer.hold()
    session.unanswered++
    control.send({ kind: 'move', sequence: session.question })
  }

  /** An offer has expired, or a channel has broken. */
  #fail(session: ChannelSession): void {
    const { initialShutOut, maxShutOut } = this.#context.limits
    const wait = Math.min(maxShutOut, initialShutOut * 2 ** Math.min(this.#failures, 30))
    this.#failures++
    this.#restsUntil = realClock.now() + wait
    session.isTried = false
    session.writer.goOn()
  }
}
