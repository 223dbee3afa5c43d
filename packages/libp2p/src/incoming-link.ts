import type { Connection, Stream } from '@libp2p/interface'
import type { LinkContext } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, type Hello, ProtocolFault } from './control-messages.js'
import type { ReceiveFault } from './events.js'
import { type FrameOutcome, FrameReader } from './frame-reader.js'
import type { Neighbour } from './neighbour.js'
import { ReceiveLedger } from './receive-ledger.js'
import { type Mismatch, mismatchOf } from './terms.js'

/** One handshake of the neighbour and what follows. */
interface Session {
  readonly control: ControlChannel
  readonly connection: string
  exchange?: Stream
}

/** The direction from one neighbour to this peer: answers its hello, reads its frames into the mailbox, acknowledges them. */
export class IncomingLink {
  readonly #context: LinkContext
  readonly #neighbour: Neighbour
  readonly #onWelcome: () => void
  readonly #ledger: ReceiveLedger
  #session: Session | undefined
  /** Unusable bodies since the last good frame. */
  #bad = 0

  /** @param onWelcome - called when the neighbour's hello was accepted */
  constructor(context: LinkContext, neighbour: Neighbour, onWelcome: () => void) {
    this.#context = context
    this.#neighbour = neighbour
    this.#onWelcome = onWelcome
    this.#ledger = new ReceiveLedger(context.limits.mailbox)
  }

  /** Serves a control stream that the neighbour has opened, until it ends. */
  async control(stream: Stream, connection: Connection): Promise<void> {
    const control = new ControlChannel(stream, this.#neighbour.meter)
    try {
      const hello = await this.#hello(control)
      if (hello === undefined) return
      this.#welcome(hello, control, connection.id)
      for await (const message of control.messages) this.#take(message)
    } catch (error) {
      if (error instanceof ProtocolFault) this.#neighbour.failed(error.message)
    } finally {
      this.#end(control, 'the control stream has ended')
    }
  }

  /** Serves a stream of vectors that the neighbour has opened. It has to be on the connection of the handshake. */
  exchange(stream: Stream, connection: Connection): void {
    const session = this.#session
    if (session === undefined || session.connection !== connection.id || session.exchange !== undefined) {
      stream.abort(new Error('no handshake for this stream'))
      return
    }
    session.exchange = stream
    const reader = new FrameReader(this.#context.elements, this.#context.pool)
    stream.addEventListener('message', ({ data }) => {
      for (const piece of data instanceof Uint8Array ? [data] : data) this.#read(session, reader, piece)
    })
  }

  /** Acknowledges what the mailbox has room for. To be called when the algorithm has taken a message. */
  acknowledge(): void {
    if (!this.#ledger.settle(this.#context.mailbox.waiting(this.#neighbour.name))) return
    this.#session?.control.send({ kind: 'ack', sequence: this.#ledger.acknowledged })
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
    }
    this.#neighbour.refuse({ by: 'us', ...mismatch })
    control.send({ kind: 'refused', code: mismatch.code, why: mismatch.why.slice(0, 1024), terms })
    await control.close(limits.handshakeTimeout)
    return undefined
  }

  #judge(hello: Hello): Mismatch | undefined {
    if (hello.name === this.#neighbour.name) return mismatchOf(this.#context.terms, hello.terms)
    const why = `it calls itself "${hello.name}", and by its peer id it is "${this.#neighbour.name}"`
    return { code: 'unknown-peer', why }
  }

  #welcome(hello: Hello, control: ControlChannel, connection: string): void {
    this.stop('replaced by a new handshake')
    this.#session = { control, connection }
    this.#ledger.greet(hello.incarnation, hello.first)
    const { self, limits, round } = this.#context
    const { received, acknowledged } = this.#ledger
    control.send({ kind: 'welcome', name: self, round: round(), received, acknowledged, window: limits.window })
    this.#neighbour.arrived()
    this.#neighbour.heard(hello.round)
    this.#neighbour.set('incoming', true)
    this.#onWelcome()
  }

  #take(message: ControlMessage): void {
    if (message.kind === 'ping') this.#neighbour.heard(message.round)
    else if (message.kind === 'bye') this.#neighbour.leave(message.reason)
    else throw new ProtocolFault(`it says ${message.kind} to one who receives`)
  }

  #read(session: Session, reader: FrameReader, piece: Uint8Array): void {
    // What still comes on a stream that was replaced or reset is not of interest.
    if (session !== this.#session) return
    this.#neighbour.meter.receivedBytes += piece.byteLength
    this.#neighbour.heard()
    for (const outcome of reader.push(piece)) this.#judgeFrame(session, outcome)
  }

  #judgeFrame(session: Session, outcome: FrameOutcome): void {
    if (session !== this.#session) return
    const breach = this.#breachOf(outcome)
    if (breach !== undefined) this.#fault(breach.fault, breach.detail, true)
    else if (outcome.kind === 'bad-body') this.#skip(outcome.header.sequence, outcome.fault)
    else if (outcome.kind === 'frame') this.#accept(outcome)
  }

  /** What makes all that follows on this stream worthless. */
  #breachOf(outcome: FrameOutcome): { readonly fault: ReceiveFault; readonly detail: string } | undefined {
    if (outcome.kind === 'bad-header') return outcome
    const { received } = this.#ledger
    const { sequence } = outcome.header
    if (sequence > received + 1) return { fault: 'gap', detail: `frame ${sequence} follows frame ${received}` }
    if (sequence <= received || !this.#overflows()) return undefined
    return { fault: 'window', detail: `frame ${sequence} was sent without waiting for acknowledgements` }
  }

  /** Passes over a frame with an unusable body. It counts as come, since it would be the same if it were sent again. */
  #skip(sequence: number, fault: ReceiveFault): void {
    this.#ledger.arrive(sequence)
    this.acknowledge()
    this.#bad++
    this.#fault(fault, `frame ${sequence} is not delivered`, this.#bad >= this.#context.limits.badFrames)
  }

  #accept({ header: { kind, round, sequence }, vector }: Extract<FrameOutcome, { kind: 'frame' }>): void {
    const { name, meter } = this.#neighbour
    this.#bad = 0
    if (!this.#ledger.arrive(sequence)) {
      meter.duplicates++
      this.#context.pool.give(vector)
      return
    }
    meter.receivedFrames++
    meter.receivedPayload += vector.byteLength
    this.#neighbour.heard(round)
    this.#context.mailbox.offer(name, { kind, round, vector })
    this.acknowledge()
  }

  /** Whether the neighbour has sent more than it was granted, also by being started anew again and again. */
  #overflows(): boolean {
    const { window, mailbox } = this.#context.limits
    const unacknowledged = this.#ledger.received - this.#ledger.acknowledged
    return unacknowledged >= window || this.#context.mailbox.waiting(this.#neighbour.name) >= mailbox + 2 * window
  }

  #fault(fault: ReceiveFault, detail: string, reset: boolean): void {
    this.#neighbour.meter.badFrames++
    this.#context.emit({ kind: 'bad-frame', peer: this.#neighbour.name, fault, detail })
    if (!reset) return
    this.#bad = 0
    this.stop(`bad frame (${fault}): ${detail}`)
  }

  #end(control: ControlChannel, why: string): void {
    control.abort(why)
    if (this.#session?.control !== control) return
    this.#session.exchange?.abort(new Error(why))
    this.#session = undefined
    this.#neighbour.set('incoming', false)
  }
}
