import type { Stream } from '@libp2p/interface'
import { type Milliseconds, noteWeight, type PeerName } from '@murmuration/core'
import { type FrameFault, type FrameHeader, numberBytes, type VectorMessage } from '@murmuration/wire'
import { decoderOf } from './codec-choice.js'
import type { LinkContext } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, type Hello, ProtocolFault } from './control-messages.js'
import type { ReceiveFault } from './events.js'
import { foreignText } from './foreign-text.js'
import { FrameReader, type FrameSink, type WriteTarget } from './frame-reader.js'
import type { Sender } from './mailbox.js'
import type { Neighbour } from './neighbour.js'
import type { OutgoingLink } from './outgoing-link.js'
import { ReceiveWindow } from './receive-window.js'
import { weightOf } from './send-queue.js'
import { limitWindow, windowFor } from './stream-window.js'
import { type Mismatch, mismatchOf } from './run-settings.js'

/** One handshake of the neighbour and what follows. */
interface Session {
  readonly control: ControlChannel
  readonly connection: string
  /** In which the neighbour may write, beside raw float32. */
  readonly codecs: readonly string[]
  exchange?: Stream
  reader?: FrameReader
  /** The round trip by which the window of `exchange` was chosen. */
  roundTrip?: Milliseconds
}

/**
 * The direction from one neighbour to this peer: answers its hello, reads its vectors into the memory where they stay, and
 * acknowledges each when it is complete and there is room for the next.
 */
export class IncomingLink implements FrameSink, Sender<VectorMessage> {
  readonly #context: LinkContext
  readonly #neighbour: Neighbour
  readonly #outgoing: Pick<OutgoingLink, 'retryNow'>
  readonly #window: ReceiveWindow
  #session: Session | undefined

  /** @param outgoing - the other direction, which has a reason to connect when the neighbour's hello is accepted */
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

  /**
   * Serves a control stream that the neighbour has opened, until it ends.
   *
   * @param connection - the id of the stream's connection
   */
  async control(stream: Stream, connection: string): Promise<void> {
    if (!this.#admits(stream)) return
    const control = new ControlChannel(stream, this.#neighbour.meter)
    try {
      const hello = await this.#hello(control)
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

  /** Serves a stream of vectors that the neighbour has opened. It has to be on the connection of the handshake. */
  exchange(stream: Stream, connection: string): void {
    if (!this.#admits(stream)) return
    const session = this.#session
    if (session === undefined || session.connection !== connection || session.exchange !== undefined) {
      stream.abort(new Error('no handshake for this stream'))
      return
    }
    session.exchange = stream
    this.#tune(session)
    const reader = new FrameReader(this, decoderOf(session.codecs, this.#context.elements))
    session.reader = reader
    stream.addEventListener('message', ({ data }) => {
      for (const piece of data instanceof Uint8Array ? [data] : data) this.#read(session, reader, piece)
    })
    stream.addEventListener('close', () => reader.end())
  }

  /** Where to write a vector that begins; see {@link FrameSink}. */
  open({ sequence, offset, length }: FrameHeader): WriteTarget {
    const { received } = this.#window
    const { elements, pool } = this.#context
    if (sequence > received + 1) return faulty('gap', `vector ${sequence} follows vector ${received}`)
    if (sequence <= received) {
      this.#neighbour.meter.duplicates++
      this.#count('duplicate', `vector ${sequence} comes again`, false)
      return { kind: 'skip' }
    }
    if (this.#window.overflows(Math.max(1, length)))
      return faulty('window', `vector ${sequence} was sent without waiting for acknowledgements`)
    if (offset + length > elements) return faulty('range', `numbers ${offset} to ${offset + length - 1} of ${elements}`)
    return { kind: 'into', vector: pool.acquire(length) }
  }

  /** Puts a vector into the mailbox. */
  complete(header: FrameHeader, vector: Float32Array, bytes: number, numbers: readonly number[]): void {
    const { meter } = this.#neighbour
    const { kind, round, sequence, part, field, offset } = header
    // Nobody can look at it before it counts, as all of this happens without a pause.
    this.#window.arrive(sequence, weightOf({ vector }))
    this.#window.enqueue(weightOf({ vector }))
    meter.receivedFrames++
    meter.receivedPayload += bytes
    meter.receivedRaw += vector.byteLength + numberBytes(numbers)
    this.#neighbour.recordActivity(round)
    this.#context.mailbox.offer(this, { kind, round, part, field, numbers, offset, vector })
    this.#acknowledge()
  }

  /** Counts a skipped vector as arrived, unless it had arrived before. */
  skipped({ sequence, length }: FrameHeader): void {
    if (this.#window.arrive(sequence, Math.max(1, length))) this.#acknowledge()
  }

  /** Drops a vector that cannot be used. It counts as arrived: sent again, it would be the same. */
  corrupt(header: FrameHeader, vector: Float32Array, fault: FrameFault, detail: string): void {
    this.#context.pool.release(vector)
    this.skipped(header)
    this.#fault(fault, `vector ${header.sequence} is not delivered: ${detail}`, false)
  }

  /** Ends the session, unless that has ended and the stream with it. */
  readError(fault: ReceiveFault, detail: string, vector: Float32Array | undefined): void {
    if (vector !== undefined) this.#context.pool.release(vector)
    if (this.#session?.exchange?.status === 'open') this.#fault(fault, detail, true)
  }

  /** Notes that the algorithm has taken a message, and acknowledges what there is room for now. */
  taken(message: VectorMessage): void {
    this.#window.dequeue(weightOf(message))
    this.#acknowledge()
  }

  /** To be called when the algorithm had no use for a message. */
  reject(reason: string): void {
    this.#fault('message', reason, false)
  }

  /** Ends what goes on. */
  stop(reason: string): void {
    if (this.#session !== undefined) this.#end(this.#session.control, reason)
  }

  /** The neighbour's hello when it is acceptable; otherwise tells it why not. */
  async #hello(control: ControlChannel): Promise<Hello | undefined> {
    const { limits, runSettings } = this.#context
    let mismatch: Mismatch | undefined
    try {
      const first = await control.first(limits.handshakeTimeout)
      if (first.kind !== 'hello') throw new ProtocolFault(`it begins with ${first.kind} instead of hello`)
      mismatch = this.#validate(first)
      if (mismatch === undefined) return first
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error
      mismatch = { code: 'protocol', reason: error.message }
      this.#neighbour.faults.add('protocol', error.message, true)
    }
    this.#neighbour.refuse({ by: 'us', ...mismatch })
    control.send({ kind: 'refused', code: mismatch.code, reason: mismatch.reason.slice(0, 1024), runSettings })
    await control.close(limits.handshakeTimeout)
    return undefined
  }

  #validate(hello: Hello): Mismatch | undefined {
    const { runSettings, self } = this.#context
    if (hello.name !== this.#neighbour.name) {
      const reason = `it calls itself "${hello.name}", and by its peer id it is "${this.#neighbour.name}"`
      return { code: 'unknown-peer', reason }
    }
    if (this.#neighbour.isPermanent || hello.inPassing === true) return mismatchOf(runSettings, hello.runSettings)
    const reason = `you are no neighbour of "${self}" in its topology; do the topology files differ?`
    return { code: 'unknown-peer', reason }
  }

  #welcome(hello: Hello, control: ControlChannel, connection: string): void {
    this.stop('replaced by a new handshake')
    const codecs = this.#context.codec.agreed(hello.codecs)
    this.#session = { control, connection, codecs }
    this.#window.greet(hello.incarnation, hello.first)
    const { self, limits, round } = this.#context
    const { received, acknowledged } = this.#window
    const { window } = limits
    control.send({ kind: 'welcome', name: self, round, received, acknowledged, window, codecs })
    this.#neighbour.accept()
    this.#neighbour.recordActivity(hello.round)
    this.#neighbour.set('incoming', true)
    this.#outgoing.retryNow()
  }

  /** Whether the neighbour may open a stream now. */
  #admits(stream: Stream): boolean {
    const { streams, faults } = this.#neighbour
    if (!streams.spend()) this.#fault('flood', 'it opens streams faster than any peer has to', true)
    else if (!faults.isShutOut) return true
    stream.abort(new Error('shut out for its faults'))
    return false
  }

  #handle(message: ControlMessage, control: ControlChannel): void {
    const weight = message.kind === 'note' ? noteWeight(Buffer.byteLength(message.note)) : 1
    if (!this.#neighbour.messages.spend(weight))
      throw new ProtocolFault('it sends control messages without end', 'flood')
    if (message.kind === 'ping') this.#ping(message)
    else if (message.kind === 'note') this.#hear(message.note, weight, control)
    else if (message.kind === 'leave') this.#neighbour.leave(message.reason)
    else throw new ProtocolFault(`it says ${message.kind} to one who receives`)
  }

  /** Passes a note on, unless it is late, of an earlier handshake, or there are more than a peer tells. */
  #hear(note: string, weight: number, control: ControlChannel): void {
    this.#neighbour.recordActivity()
    const isInTurn = this.#session?.control === control
    const mayTell = this.#neighbour.notes.spend(weight)
    if (!isInTurn || !mayTell) return
    const fault = this.#context.listening.note(this.name, note)
    if (typeof fault === 'string') this.#count('message', foreignText(fault), false)
  }

  #ping({ round, at, padding }: Extract<ControlMessage, { kind: 'ping' }>): void {
    this.#neighbour.recordActivity(round)
    this.#session?.control.send({ kind: 'pong', at, padding })
  }

  #read(session: Session, reader: FrameReader, piece: Uint8Array): void {
    // Ignores what arrives on a stream that was replaced or reset.
    if (session !== this.#session) return
    this.#tune(session)
    const { meter } = this.#neighbour
    const before = reader.copied
    meter.receivedBytes += piece.byteLength
    this.#neighbour.recordActivity()
    reader.push(piece)
    meter.copied += reader.copied - before
  }

  /** Lets as much be in flight as the link needs, by its round trip as far as it is known. */
  #tune(session: Session): void {
    const roundTrip = this.#neighbour.bestRoundTrip ?? 0
    if (session.exchange === undefined || session.roundTrip === roundTrip) return
    session.roundTrip = roundTrip
    limitWindow(session.exchange, windowFor(roundTrip, this.#context.limits.streamWindow))
  }

  /** Acknowledges what there is room for. */
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
    session.reader?.end()
    session.exchange?.abort(new Error(reason))
    this.#neighbour.set('incoming', false)
  }
}

function faulty(fault: ReceiveFault, detail: string): WriteTarget {
  return { kind: 'fault', fault, detail }
}
