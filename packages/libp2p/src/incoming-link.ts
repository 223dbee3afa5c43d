import type { Connection, Stream } from '@libp2p/interface'
import { type FrameFault, type FrameHeader, numberBytes } from '@murmuration/wire'
import { decoderOf } from './codec-choice.js'
import type { MemberContext } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, type Hello, ProtocolFault } from './control-messages.js'
import type { ReceiveFault } from './events.js'
import { FrameReader, type FrameSink, type Opening } from './frame-reader.js'
import type { Neighbour } from './neighbour.js'
import { ReceiveLedger } from './receive-ledger.js'
import { weightOf } from './send-queue.js'
import { limitWindow, windowFor } from './stream-window.js'
import { type Mismatch, mismatchOf } from './terms.js'

/** The most messages of a neighbour that wait in the mailbox, however short they are: each takes some memory. */
const messagesWaiting = 1 << 14

/** A vector that has come whole; see {@link FrameSink}. */
interface Arrival {
  readonly header: FrameHeader
  readonly vector: Float32Array
  readonly bytes: number
  readonly numbers: readonly number[]
}

/** One handshake of the neighbour and what follows. */
interface Session {
  readonly control: ControlChannel
  readonly connection: string
  /** In which the neighbour may write, beside raw float32. */
  readonly codecs: readonly string[]
  exchange?: Stream
}

/**
 * The direction from one neighbour to this peer: answers its hello, reads its vectors into the memory where they stay, and
 * acknowledges each when it is whole and there is room for the next.
 */
export class IncomingLink {
  readonly #context: MemberContext
  readonly #neighbour: Neighbour
  readonly #onWelcome: () => void
  readonly #ledger = new ReceiveLedger()
  #session: Session | undefined

  /** @param onWelcome - called when the neighbour's hello was accepted */
  constructor(context: MemberContext, neighbour: Neighbour, onWelcome: () => void) {
    this.#context = context
    this.#neighbour = neighbour
    this.#onWelcome = onWelcome
  }

  /** Serves a control stream that the neighbour has opened, until it ends. */
  async control(stream: Stream, connection: Connection): Promise<void> {
    if (!this.#admits(stream)) return
    const control = new ControlChannel(stream, this.#neighbour.meter)
    try {
      const hello = await this.#hello(control)
      if (hello === undefined) return
      this.#welcome(hello, control, connection.id)
      for await (const message of control.messages) this.#take(message)
    } catch (error) {
      if (error instanceof ProtocolFault) {
        this.#neighbour.failed(error.message)
        this.#neighbour.faults.add(error.fault, error.message, true)
      }
    } finally {
      this.#end(control, 'the control stream has ended')
    }
  }

  /** Serves a stream of vectors that the neighbour has opened. It has to be on the connection of the handshake. */
  exchange(stream: Stream, connection: Connection): void {
    if (!this.#admits(stream)) return
    const session = this.#session
    if (session === undefined || session.connection !== connection.id || session.exchange !== undefined) {
      stream.abort(new Error('no handshake for this stream'))
      return
    }
    session.exchange = stream
    this.tune()
    const reader = new FrameReader(this.#sinkOf(session), decoderOf(session.codecs, this.#context.elements))
    stream.addEventListener('message', ({ data }) => {
      for (const piece of data instanceof Uint8Array ? [data] : data) this.#read(session, reader, piece)
    })
    stream.addEventListener('close', () => reader.end())
  }

  /** Acknowledges what there is room for. To be called when the algorithm has taken a message. */
  acknowledge(): void {
    const { mailbox, limits, elements } = this.#context
    const surplus = mailbox.waiting(this.#neighbour.name) - limits.mailbox * Math.max(1, elements)
    if (!this.#ledger.settle(surplus)) return
    this.#session?.control.send({ kind: 'ack', sequence: this.#ledger.acknowledged })
  }

  /** To be called when the algorithm had no use for a message. */
  reject(reason: string): void {
    this.#fault('message', reason, false)
  }

  /** Lets as much be on its way as the link needs, by what its round trip has turned out to be. */
  tune(): void {
    const stream = this.#session?.exchange
    if (stream === undefined) return
    limitWindow(stream, windowFor(this.#neighbour.bestRoundTrip ?? 0, this.#context.limits.streamWindow))
  }

  /** Ends what goes on. */
  stop(why: string): void {
    if (this.#session !== undefined) this.#end(this.#session.control, why)
  }

  /** The neighbour's hello when it is acceptable; otherwise tells it why not. */
  async #hello(control: ControlChannel): Promise<Hello | undefined> {
    const { limits, terms } = this.#context
    let mismatch: Mismatch | undefined
    try {
      const first = await control.first(limits.handshakeTimeout)
      if (first.kind !== 'hello') throw new ProtocolFault(`it begins with ${first.kind} instead of hello`)
      mismatch = this.#judge(first)
      if (mismatch === undefined) return first
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error
      mismatch = { code: 'protocol', why: error.message }
      this.#neighbour.faults.add('protocol', error.message, true)
    }
    this.#neighbour.refuse({ by: 'us', ...mismatch })
    control.send({ kind: 'refused', code: mismatch.code, why: mismatch.why.slice(0, 1024), terms })
    await control.close(limits.handshakeTimeout)
    return undefined
  }

  #judge(hello: Hello): Mismatch | undefined {
    const { terms, self, isStanding } = this.#context
    if (hello.name !== this.#neighbour.name) {
      const why = `it calls itself "${hello.name}", and by its peer id it is "${this.#neighbour.name}"`
      return { code: 'unknown-peer', why }
    }
    if (isStanding || hello.inPassing === true) return mismatchOf(terms, hello.terms)
    const why = `you are no neighbour of "${self}" in its topology; do the topology files differ?`
    return { code: 'unknown-peer', why }
  }

  #welcome(hello: Hello, control: ControlChannel, connection: string): void {
    this.stop('replaced by a new handshake')
    const codecs = this.#context.codec.agreed(hello.codecs)
    this.#session = { control, connection, codecs }
    this.#ledger.greet(hello.incarnation, hello.first)
    const { self, limits, round } = this.#context
    const { received, acknowledged } = this.#ledger
    const { window } = limits
    control.send({ kind: 'welcome', name: self, round: round(), received, acknowledged, window, codecs })
    this.#neighbour.arrived()
    this.#neighbour.heard(hello.round)
    this.#neighbour.set('incoming', true)
    this.#onWelcome()
  }

  /** Whether the neighbour may open a stream now. */
  #admits(stream: Stream): boolean {
    const { streams, faults } = this.#neighbour
    if (!streams.spend()) this.#fault('flood', 'it opens streams faster than any peer has to', true)
    else if (!faults.isShutOut) return true
    stream.abort(new Error('shut out for its faults'))
    return false
  }

  #take(message: ControlMessage): void {
    if (!this.#neighbour.messages.spend()) throw new ProtocolFault('it sends control messages without end', 'flood')
    if (message.kind === 'ping') this.#ping(message)
    else if (message.kind === 'bye') this.#neighbour.leave(message.reason)
    else throw new ProtocolFault(`it says ${message.kind} to one who receives`)
  }

  #ping({ round, at, padding }: Extract<ControlMessage, { kind: 'ping' }>): void {
    this.#neighbour.heard(round)
    this.#session?.control.send({ kind: 'pong', at, padding })
  }

  #read(session: Session, reader: FrameReader, piece: Uint8Array): void {
    // What still comes on a stream that was replaced or reset is not of interest.
    if (session !== this.#session) return
    const { meter } = this.#neighbour
    const before = reader.copied
    meter.receivedBytes += piece.byteLength
    this.#neighbour.heard()
    reader.push(piece)
    meter.copied += reader.copied - before
  }

  /** Takes the vectors of one stream, as long as it is the one that counts. */
  #sinkOf(session: Session): FrameSink {
    const isOver = () => session !== this.#session
    return {
      open: (header) => (isOver() ? { kind: 'skip' } : this.#open(header)),
      whole: (header, vector, bytes, numbers) =>
        isOver() ? this.#drop(vector) : this.#accept({ header, vector, bytes, numbers }),
      passed: (header) => {
        if (!isOver()) this.#pass(header)
      },
      spoilt: (header, vector, fault, detail) => {
        this.#drop(vector)
        if (!isOver()) this.#skip(header, fault, detail)
      },
      broken: (fault, detail, vector) => {
        if (vector !== undefined) this.#drop(vector)
        if (!isOver() && session.exchange?.status === 'open') this.#fault(fault, detail, true)
      }
    }
  }

  /** Where a vector is to be written, unless it makes all that follows worthless. */
  #open(header: FrameHeader): Opening {
    const { sequence, offset, length } = header
    const { received } = this.#ledger
    const { elements, pool } = this.#context
    if (sequence > received + 1) return faulty('gap', `vector ${sequence} follows vector ${received}`)
    if (sequence <= received) {
      this.#neighbour.meter.duplicates++
      this.#count('duplicate', `vector ${sequence} comes again`, false)
      return { kind: 'skip' }
    }
    if (this.#overflows(length))
      return faulty('window', `vector ${sequence} was sent without waiting for acknowledgements`)
    if (offset + length > elements) return faulty('range', `numbers ${offset} to ${offset + length - 1} of ${elements}`)
    return { kind: 'into', vector: pool.take(length) }
  }

  /** Counts a vector that was passed over as come, unless it had come before. */
  #pass({ sequence, length }: FrameHeader): void {
    if (this.#ledger.arrive(sequence, Math.max(1, length))) this.acknowledge()
  }

  /** Passes over a vector that cannot be used. It counts as come, since it would be the same if it were sent again. */
  #skip({ sequence, length }: FrameHeader, fault: FrameFault, detail: string): void {
    this.#ledger.arrive(sequence, Math.max(1, length))
    this.acknowledge()
    this.#fault(fault, `vector ${sequence} is not delivered: ${detail}`, false)
  }

  #drop(vector: Float32Array): void {
    this.#context.pool.give(vector)
  }

  #accept({ header, vector, bytes, numbers }: Arrival): void {
    const { name, meter } = this.#neighbour
    const { kind, round, sequence, part, field, offset } = header
    // Nobody can look at it before it counts, as all of this happens without a pause.
    this.#ledger.arrive(sequence, weightOf({ vector }))
    meter.receivedFrames++
    meter.receivedPayload += bytes
    meter.receivedRaw += vector.byteLength + numberBytes(numbers)
    this.#neighbour.heard(round)
    this.#context.mailbox.offer(name, { kind, round, part, field, numbers, offset, vector })
    this.acknowledge()
  }

  /** Whether the neighbour sends more than it was granted, also by being started anew again and again. */
  #overflows(length: number): boolean {
    const { limits, mailbox, elements } = this.#context
    const one = Math.max(1, elements)
    const { unacknowledged } = this.#ledger
    const isBeyond = unacknowledged > 0 && unacknowledged + Math.max(1, length) > limits.window * one
    if (mailbox.count(this.#neighbour.name) >= messagesWaiting) return true
    return isBeyond || mailbox.waiting(this.#neighbour.name) >= (limits.mailbox + 2 * limits.window) * one
  }

  #fault(fault: ReceiveFault, detail: string, isGrave: boolean): void {
    this.#neighbour.meter.badFrames++
    this.#count(fault, detail, isGrave)
  }

  #count(fault: ReceiveFault, detail: string, isGrave: boolean): void {
    if (this.#neighbour.faults.add(fault, detail, isGrave)) this.stop(`fault (${fault}): ${detail}`)
  }

  #end(control: ControlChannel, why: string): void {
    control.abort(why)
    if (this.#session?.control !== control) return
    this.#session.exchange?.abort(new Error(why))
    this.#session = undefined
    this.#neighbour.set('incoming', false)
  }
}

function faulty(fault: ReceiveFault, detail: string): Opening {
  return { kind: 'fault', fault, detail }
}
