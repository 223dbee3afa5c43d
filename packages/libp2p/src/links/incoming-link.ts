import type { Connection, Stream } from '@libp2p/interface'
import { type Milliseconds, noteBytes, noteWeight, type PeerName } from '@murmuration/core'
import { type FrameFault, type FrameHeader, numberBytes, type VectorMessage } from '@murmuration/wire'
import { tcpHost } from '../addresses/channel-address.js'
import { IncomingChannel } from './channel/incoming.js'
import { decoderOf } from './codec-choice.js'
import type { LinkContext } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, type Hello, ProtocolFault } from './control-messages.js'
import type { ReceiveFault } from '../base/events.js'
import { foreignText } from '../base/foreign-text.js'
import { type BodyDecoder, FrameReader, type FrameSink, type WriteTarget } from '../vectors/frame-reader.js'
import { withoutId } from '../addresses/signed-addresses.js'
import { takeHello, welcomeOf } from './hello.js'
import { Incarnations } from './incarnations.js'
import type { Sender } from '../vectors/mailbox.js'
import type { Neighbour } from './neighbour.js'
import type { OutgoingLink } from './outgoing-link.js'
import type { Mismatch } from '../base/run-settings.js'
import { ReceiveWindow } from '../vectors/receive-window.js'
import { type ViaRelay, viaOf } from '../relay/bar.js'
import { weightOf } from '../vectors/send-queue.js'
import { firstWindow, limitWindow, widenWindow, windowFor } from '../vectors/stream-window.js'

/** One handshake of the neighbour, and its streams. */
interface IncomingSession {
  readonly control: ControlChannel
  readonly connection: Pick<Connection, 'id' | 'remoteAddr'>
  /** Decodes the codecs that the neighbour may use, besides raw float32. */
  readonly decoder: BodyDecoder | undefined
  readonly via: ViaRelay | undefined
  exchange?: Stream
  reader?: FrameReader
  /** The data channel, on which vectors may arrive after a switch. */
  readonly channel: IncomingChannel
  /** The round trip for which the window of `exchange` was chosen. */
  roundTrip?: Milliseconds
}

/**
 * The direction from one neighbour to this peer. It answers the neighbour's hello, reads its vectors into their final
 * memory, and acknowledges each when it is complete and there is room for the next.
 */
export class IncomingLink implements FrameSink, Sender<VectorMessage> {
  readonly #context: LinkContext
  readonly #neighbour: Neighbour
  readonly #outgoing: Pick<OutgoingLink, 'retryNow'>
  readonly #window: ReceiveWindow
  readonly #incarnations = new Incarnations()
  #session: IncomingSession | undefined

  /** @param outgoing - the other direction, which connects at once when the neighbour's hello is accepted */
  constructor(context: LinkContext, neighbour: Neighbour, outgoing: Pick<OutgoingLink, 'retryNow'>) {
    this.#context = context
    this.#neighbour = neighbour
    this.#outgoing = outgoing
    this.#window = new ReceiveWindow(context.elements, context.limits)
  }

  /** The neighbour's name. */
  get name(): PeerName {
    return this.#neighbour.name
  }

  /** Serves a control stream that the neighbour has opened, until it ends. */
  async control(stream: Stream, connection: IncomingSession['connection']): Promise<void> {
    if (!this.#admits(stream)) return
    const control = new ControlChannel(stream, this.#neighbour.meter)
    try {
      const twins = (first: Hello) => this.#twinsOf(first, connection)
      const hello = await takeHello(this.#context, this.#neighbour, control, twins)
      if (hello === undefined) return
      this.#welcome(hello, control, connection)
      for await (const message of control.messages) this.#handle(message, control)
    } catch (error) {
      if (error instanceof ProtocolFault) {
        this.#neighbour.recordFailure(error.message)
        this.#neighbour.faults.add(error.fault, error.message, true)
      }
    } finally {
      this.#end(control, 'the control stream has ended')
    }
  }

  /** Serves a stream of vectors that the neighbour has opened. It must be on the connection of the handshake. */
  exchange(stream: Stream, connection: string): void {
    if (!this.#admits(stream)) return
    const session = this.#session
    const isExpected = session?.connection.id === connection && session.exchange === undefined
    if (!isExpected || session.via?.bar !== undefined) return stream.abort(new Error('no handshake for this stream'))
    session.exchange = stream
    this.#tune(session)
    widenWindow(stream, firstWindow(this.#context.elements, this.#context.limits))
    const reader = new FrameReader(this, session.decoder)
    session.reader = reader
    stream.addEventListener('message', ({ data }) => {
      for (const chunk of data instanceof Uint8Array ? [data] : data) this.#read(session, reader, chunk)
    })
    stream.addEventListener('close', () => this.#discard(reader.end()))
  }

  /** Where to write a vector that begins; see {@link FrameSink}. */
  open({ sequence, offset, length }: FrameHeader): WriteTarget {
    const { received } = this.#window
    const { elements, pool } = this.#context
    if (sequence > received + 1) return faulty('gap', `vector ${sequence} follows vector ${received}`)
    if (sequence <= received) {
      this.#neighbour.meter.duplicates++
      this.#count('duplicate', `vector ${sequence} arrived again`, false)
      return { kind: 'skip' }
    }
    if (this.#window.overflows(Math.max(1, length)))
      return faulty('window', `vector ${sequence} was sent without waiting for acknowledgements`)
    if (offset + length > elements)
      return faulty('range', `numbers ${offset} to ${offset + length - 1}; the parameters have ${elements}`)
    return { kind: 'into', vector: pool.acquire(length) }
  }

  /** Puts a vector into the mailbox. */
  complete(header: FrameHeader, vector: Float32Array, bytes: number, numbers: readonly number[]): void {
    const { meter } = this.#neighbour
    const { kind, round, sequence, part, epoch, field, offset } = header
    // All of this is synchronous, so the algorithm cannot take the message before it is counted.
    this.#window.arrive(sequence, weightOf({ vector }))
    this.#window.enqueue(weightOf({ vector }))
    meter.receivedFrames++
    meter.receivedPayload += bytes
    meter.receivedRaw += vector.byteLength + numberBytes(numbers)
    this.#neighbour.recordActivity()
    this.#context.mailbox.offer(this, { kind, round, part, epoch, field, numbers, offset, vector })
    this.#acknowledge()
    this.#session?.channel.confirm(sequence)
  }

  /** Counts a skipped vector as arrived, unless it is a duplicate. */
  skipped({ sequence, length }: FrameHeader): void {
    if (!this.#window.arrive(sequence, Math.max(1, length))) return
    this.#acknowledge()
    this.#session?.channel.confirm(sequence)
  }

  /** Drops an unusable vector. It counts as arrived, because a retransmission would be the same. */
  corrupt(header: FrameHeader, vector: Float32Array, fault: FrameFault, detail: string): void {
    this.#context.pool.release(vector)
    this.skipped(header)
    this.#fault(fault, `vector ${header.sequence} was not delivered: ${detail}`, false)
  }

  /** Ends the session, unless it has ended. */
  readError(fault: ReceiveFault, detail: string, vector: Float32Array | undefined): void {
    this.#discard(vector)
    if (this.#session !== undefined) this.#fault(fault, detail, true)
  }

  /** Records that the algorithm has taken a message, and acknowledges the vectors that there is room for now. */
  taken(message: VectorMessage): void {
    this.#window.dequeue(weightOf(message))
    this.#acknowledge()
  }

  /** To be called when the algorithm could not use a message. */
  reject(reason: string): void {
    this.#fault('message', reason, false)
  }

  /** To be called when it exceeds a bound outside of a session. */
  flooded(detail: string): void {
    this.#fault('flood', detail, true)
  }

  /** Ends the session, if there is one. */
  stop(reason: string): void {
    if (this.#session !== undefined) this.#end(this.#session.control, reason)
  }

  #welcome(hello: Hello, control: ControlChannel, connection: IncomingSession['connection']): void {
    this.stop('replaced by a new handshake')
    const codecs = this.#context.codec.agreed(hello.codecs)
    const via = viaOf(connection.remoteAddr, this.#context, hello.relayVectors)
    this.#session = this.#sessionWith({ control, connection, decoder: decoderOf(codecs, this.#context.elements), via })
    this.#window.greet(hello.incarnation, hello.first)
    control.send(welcomeOf(this.#context, this.#window, codecs))
    this.#neighbour.routes.set('incoming', via)
    this.#neighbour.meet(hello.incarnation)
    this.#neighbour.accept()
    this.#neighbour.recordActivity()
    this.#neighbour.set('incoming', true)
    this.#outgoing.retryNow()
  }

  /**
   * The problem if another process has the neighbour's key. Then neither is accepted: nobody can tell which one is
   * meant.
   */
  #twinsOf({ incarnation, listens = [] }: Hello, { remoteAddr }: IncomingSession['connection']): Mismatch | undefined {
    const listening = listens.length === 0 ? '' : ` (listening at ${listens.join(', ')})`
    const places = this.#incarnations.meet(incarnation, `${withoutId(remoteAddr).toString()}${listening}`)
    if (places === undefined) return undefined
    const reason =
      `two processes have the key of "${this.name}", one at ${places[0]} and one at ${places[1]}; start ` +
      `only one of them again, and make a key for the other with "murmur identity"`
    this.stop('another process has its key')
    return { code: 'identity', reason }
  }

  #sessionWith(parts: Pick<IncomingSession, 'control' | 'connection' | 'decoder' | 'via'>): IncomingSession {
    const { control, connection, decoder } = parts
    const { channels, limits } = this.#context
    const channel = new IncomingChannel({
      control,
      host: channels && tcpHost(connection.remoteAddr),
      limit: limits.handshakeTimeout,
      calls: this.#neighbour.channels,
      createReader: () => new FrameReader(this, decoder),
      arrived: (bytes) => this.#arrived(control, bytes),
      discard: (vector) => this.#discard(vector)
    })
    return { ...parts, channel }
  }

  /** The session of a control stream, unless another session has replaced it. */
  #sessionOf(control: ControlChannel): IncomingSession | undefined {
    return this.#session?.control === control ? this.#session : undefined
  }

  /** Whether the neighbour may open a stream now. */
  #admits(stream: Stream): boolean {
    const { streams, faults } = this.#neighbour
    if (!streams.spend()) this.#fault('flood', 'it opens too many streams', true)
    else if (!faults.isShutOut) return true
    stream.abort(new Error('shut out because of its faults'))
    return false
  }

  #handle(message: ControlMessage, control: ControlChannel): void {
    const weight = message.kind === 'note' ? noteWeight(noteBytes(message.note)) : 1
    if (!this.#neighbour.messages.spend(weight)) throw new ProtocolFault('it sends too many control messages', 'flood')
    if (message.kind === 'ping') this.#ping(message)
    else if (message.kind === 'note') this.#hear(message.note, weight, control)
    else if (message.kind === 'channel') this.#sessionOf(control)?.channel.offered(message)
    else if (message.kind === 'move') this.#sessionOf(control)?.channel.move(message.sequence, this.#window.received)
    else if (message.kind === 'leave') this.#neighbour.leave(message.reason)
    else throw new ProtocolFault(`it sends "${message.kind}" to a receiver`)
  }

  /** Passes a note to the listener, unless it belongs to an earlier handshake or exceeds the budget of notes. */
  #hear(note: string, weight: number, control: ControlChannel): void {
    this.#neighbour.recordActivity()
    const isInTurn = this.#sessionOf(control) !== undefined && this.#neighbour.routes.bar === undefined
    const mayTell = this.#neighbour.notes.spend(weight)
    if (!isInTurn || !mayTell) return
    const fault = this.#context.listening.note(this.name, note)
    if (typeof fault === 'string') this.#count('message', foreignText(fault), false)
  }

  #ping({ at, padding }: Extract<ControlMessage, { kind: 'ping' }>): void {
    this.#neighbour.recordActivity()
    this.#session?.control.send({ kind: 'pong', at, padding })
  }

  /** Counts bytes from a data channel. Returns whether they must be read. */
  #arrived(control: ControlChannel, bytes: number): boolean {
    const session = this.#session
    if (session?.control !== control) return false
    if (session.reader?.isWithin) this.#fault('protocol', 'it switches to a data channel within a vector', true)
    this.#neighbour.meter.receivedBytes += bytes
    this.#neighbour.recordActivity()
    return session === this.#session
  }

  #read(session: IncomingSession, reader: FrameReader, chunk: Uint8Array): void {
    // Bytes on a replaced or reset stream are ignored.
    if (session !== this.#session) return
    if (session.channel.isUsed) return this.#fault('protocol', 'it sends vectors outside its data channel', true)
    this.#tune(session)
    const { meter } = this.#neighbour
    const before = reader.copied
    meter.receivedBytes += chunk.byteLength
    this.#neighbour.recordActivity()
    reader.push(chunk)
    meter.copied += reader.copied - before
  }

  /** Releases the memory of an incomplete vector. */
  #discard(vector: Float32Array | undefined): void {
    if (vector !== undefined) this.#context.pool.release(vector)
  }

  /** Sets the receive window by the round trip of the link, once that is known. */
  #tune(session: IncomingSession): void {
    const roundTrip = this.#neighbour.bestRoundTrip ?? 0
    if (session.exchange === undefined || session.roundTrip === roundTrip) return
    session.roundTrip = roundTrip
    limitWindow(session.exchange, windowFor(roundTrip, this.#context.limits.streamWindow))
  }

  /** Acknowledges the vectors that there is room for. */
  #acknowledge(): void {
    if (this.#window.acknowledge()) this.#session?.control.send({ kind: 'ack', sequence: this.#window.acknowledged })
  }

  #fault(fault: ReceiveFault, detail: string, isGrave: boolean): void {
    this.#neighbour.meter.badFrames++
    this.#count(fault, detail, isGrave)
  }

  #count(fault: ReceiveFault, detail: string, isGrave: boolean): void {
    if (this.#neighbour.faults.add(fault, detail, isGrave)) this.stop(`fault (${fault}): ${detail}`)
  }

  #end(control: ControlChannel, reason: string): void {
    control.abort(reason)
    const session = this.#session
    if (session?.control !== control) return
    this.#session = undefined
    this.#discard(session.reader?.end())
    session.channel.end()
    session.exchange?.abort(new Error(reason))
    this.#neighbour.set('incoming', false)
  }
}

function faulty(fault: ReceiveFault, detail: string): WriteTarget {
  return { kind: 'fault', fault, detail }
}
