import type { TLSSocket } from 'node:tls'
import type { Milliseconds } from '@murmuration/core'
import { realClock } from '../clock.js'
import type { LinkContext } from '../context.js'
import type { ControlChannel } from '../control-channel.js'
import { ProtocolFault } from '../control-messages.js'
import type { ExchangeWriter } from '../exchange-writer.js'
import type { ChannelListener, ChannelOffer } from './listener.js'
import { ChannelOutput } from './output.js'

/** A link whose vectors may go over a data channel. */
export interface ChannelUser {
  readonly control: ControlChannel
  /** The neighbour's IP address, if it is at the other end of a plain TCP connection. */
  readonly host: string | undefined
  readonly writer: Pick<ExchangeWriter, 'hold' | 'goOn'>
}

/** A user, and what it has of a channel. */
interface Session extends ChannelUser {
  offer?: ChannelOffer
  socket?: TLSSocket
  output?: ChannelOutput
  isTried: boolean
  /** The last vector of those of which the neighbour was asked last whether they have arrived. */
  asked: number
  /** How often it was asked and has not answered. */
  unanswered: number
}

/**
 * The data channel to one neighbour. It is offered where vectors are long, and again when nothing has come of it: after a wait that doubles
 * until a vector has got through. Until it is there vectors go over the stream of libp2p, so nobody waits for it.
 */
export class OutgoingChannel {
  readonly #context: LinkContext
  #session: Session | undefined
  #failures = 0
  #restsUntil: Milliseconds = Number.NEGATIVE_INFINITY

  constructor(context: LinkContext) {
    this.#context = context
  }

  /** Whether vectors go over it. */
  get isUsed(): boolean {
    return this.#session?.output?.isUsed === true
  }

  /** A link begins. */
  begin(user: ChannelUser): void {
    this.end()
    this.#session = { ...user, isTried: false, asked: -1, unanswered: 0 }
  }

  /** Offers a channel, if one is worth it and can be had. To be called when there are vectors to send. */
  consider(): void {
    const session = this.#session
    const { channels, elements, limits } = this.#context
    if (session === undefined || session.isTried || channels === undefined) return
    if (4 * elements < limits.channelFrom || realClock.now() < this.#restsUntil) return
    session.isTried = true
    if (session.host !== undefined) void this.#offer(session, session.host, channels)
  }

  /**
   * All vectors up to this one have arrived, so that nothing can overtake them. Throws a ProtocolFault when that was not asked.
   */
  moved(sequence: number): void {
    const session = this.#session
    if (session === undefined) return
    // One whose channel has broken since may answer late.
    if (sequence > session.asked || session.unanswered === 0)
      throw new ProtocolFault(`it says that vector ${sequence} is there, and was not asked`)
    session.unanswered--
    if (sequence === session.asked && session.output?.isOpen) session.writer.goOn(session.output)
  }

  /** The neighbour has acknowledged a vector. */
  acknowledged(): void {
    if (this.isUsed) this.#failures = 0
  }

  /** The link ends. */
  end(): void {
    const session = this.#session
    this.#session = undefined
    session?.offer?.withdraw()
    session?.socket?.destroy()
  }

  async #offer(session: Session, host: string, channels: ChannelListener): Promise<void> {
    const offer = await channels.offer(host)
    if (offer === undefined) return
    if (session !== this.#session) return offer.withdraw()
    session.offer = offer
    const { port, id, key } = offer
    session.control.send({ kind: 'channel', port, id, key: Buffer.from(key).toString('base64') })
    const socket = await offer.taken
    if (session !== this.#session) socket?.destroy()
    else if (socket === undefined) this.#fail(session)
    else this.#use(session, socket)
  }

  #use(session: Session, socket: TLSSocket): void {
    const { control, writer } = session
    session.socket = socket
    session.output = new ChannelOutput(socket)
    socket.once('close', () => {
      if (session === this.#session) this.#fail(session)
    })
    // Its bytes go one way. To read is also to hear that it is closed.
    socket.on('data', () => socket.destroy())
    session.asked = writer.hold()
    session.unanswered++
    control.send({ kind: 'move', sequence: session.asked })
  }

  /** Nothing has come of an offer, or a channel has broken. */
  #fail(session: Session): void {
    const { initialShutOut, maxShutOut } = this.#context.limits
    const wait = Math.min(maxShutOut, initialShutOut * 2 ** Math.min(this.#failures, 30))
    this.#failures++
    this.#restsUntil = realClock.now() + wait
    session.isTried = false
    session.writer.goOn()
  }
}
