import type { Connection } from '@libp2p/interface'
import type { Milliseconds, SendResult } from '@murmuration/core'
import { codecRandom } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { OutgoingChannel } from './channel/outgoing.js'
import { StreamOutput } from '../vectors/frame-output.js'
import { Signal } from '../base/signal.js'
import { realClock } from '../base/clock.js'
import { controlProtocol } from '../base/constants.js'
import type { LinkContext } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, ProtocolFault } from './control-messages.js'
import { Dialler, openStream, openStreams } from './dialler.js'
import { ExchangeWriter } from './exchange-writer.js'
import { explain } from '../base/explain.js'
import { sayHello } from './hello.js'
import type { Neighbour } from './neighbour.js'
import { NoteQueue } from './notes.js'
import { Pings } from './pings.js'
import { viaOf } from '../relay/bar.js'
import { type AttemptEnd, isRefusal, Reconnection } from './reconnection.js'
import { SendQueue } from '../vectors/send-queue.js'
import type { Streams } from './streams.js'

/**
 * The direction from this peer to one neighbour. It dials the neighbour or uses an open connection, sends a hello,
 * writes frames, and starts over when the link ends.
 */
export class OutgoingLink {
  /** The data channel for long vectors. */
  readonly channel: OutgoingChannel
  readonly #context: LinkContext
  readonly #neighbour: Neighbour
  readonly #reconnection: Reconnection
  readonly #queue: SendQueue
  readonly #notes = new NoteQueue(realClock)
  /** Notified when there may be another vector to write, and so a reason to connect. */
  readonly #work = new Signal()
  /** Notified when another attempt to connect may succeed. */
  readonly #retry = new Signal()
  #control: ControlChannel | undefined
  /** The time of the last offered vector. */
  #lastUsed: Milliseconds = 0
  /** The time of the last note. */
  #lastTold = Number.NEGATIVE_INFINITY
  #dialler: Dialler | undefined
  #pings: Pings | undefined
  /** The codecs that the neighbour accepts, besides raw float32. */
  #codecs: readonly string[] = []

  constructor(context: LinkContext, neighbour: Neighbour) {
    this.#context = context
    this.#neighbour = neighbour
    this.#reconnection = new Reconnection(context.limits, context.random.stream('reconnecting').stream(neighbour.name))
    this.#queue = new SendQueue(context.elements, context.limits.sendQueue, context.runSettings.schema.length)
    this.channel = new OutgoingChannel(context)
  }

  /** The number of unacknowledged vectors. */
  get queued(): number {
    return this.#queue.length
  }

  /** Queues a message for the neighbour. Its vector is pinned until it is acknowledged or given up. */
  offer(message: VectorMessage): SendResult {
    const { part = 0, epoch = 0, field = 0, offset = 0, vector } = message
    const { pool, closing, sending } = this.#context
    if (this.#neighbour.isUnavailable || this.#neighbour.routes.bar !== undefined || closing.aborted)
      return 'unreachable'
    const loan = pool.pin(vector)
    const onDone = () => (loan && pool.unpin(loan), sending.end())
    sending.begin()
    if (!this.#queue.offer({ ...message, part, epoch, field, offset, onDone })) {
      onDone()
      return 'full'
    }
    this.#lastUsed = realClock.now()
    this.channel.consider()
    this.#work.notify()
    return 'queued'
  }

  /** Sends a note, now or as soon as the link is up. A note beyond the budget is dropped. */
  tell(note: string): void {
    const { isUnavailable, routes } = this.#neighbour
    if (isUnavailable || routes.bar !== undefined || this.#context.closing.aborted || !this.#notes.offer(note)) return
    this.#lastTold = realClock.now()
    this.#sendNotes()
    this.#work.notify()
  }

  /**
   * Keeps the link up until the peer closes; a link that is not permanent, while there is something to send and for a
   * while after.
   *
   * @param waits - whether to wait for the neighbour to dial first; not when a vector waits for a peer that is not a
   *   neighbour
   */
  async run(waits: boolean): Promise<void> {
    const { closing, emit, listening } = this.#context
    const reconnection = this.#reconnection
    const peer = this.#neighbour.name
    const dialler = (this.#dialler = new Dialler(this.#context, peer))
    await this.#waitForWork()
    if (!closing.aborted) emit({ kind: 'connecting', peer })
    while (!closing.aborted) {
      await this.#waitForWork()
      await this.#waitWhileShutOut()
      if (closing.aborted) return
      const end = await this.#attempt(dialler, waits)
      this.#notes.take()
      if (this.#isIdle) {
        if (!this.#neighbour.isUp('incoming')) dialler.hangUp()
        reconnection.reset()
        continue
      }
      reconnection.note(end)
      this.#neighbour.recordFailure(end.reason)
      if (reconnection.isRefused && !this.#neighbour.isUp('incoming')) listening.refused(peer)
      const wait = reconnection.backoff()
      if (!this.#neighbour.isUnavailable && !closing.aborted) await this.#retry.wait(realClock.now() + wait)
      if (closing.aborted) return
      // A neighbour that has left is not dialled again; its `leave` often arrives just after the loss of the
      // connection.
      if (!this.#neighbour.isUnavailable) {
        emit({ kind: 'reconnecting', peer, attempt: reconnection.attempts, wait, reason: end.reason })
        continue
      }
      await this.#waitForReturn()
      reconnection.reset()
    }
  }

  /** Dials at once, if the neighbour is not connected: it does not know yet that this peer is there. */
  hurry(): void {
    if (this.#neighbour.isUp('outgoing')) return
    this.#dialler?.hurry()
    this.#retry.notify()
  }

  /** Ends the wait for the next attempt: the neighbour has connected, or is no longer refused. */
  retryNow(): void {
    this.#dialler?.called()
    this.#retry.notify()
    this.#pings?.sendOnce()
  }

  /** Sends a ping, which shows that this peer is alive and measures the round trip. Returns the time on it. */
  ping(padding = ''): Milliseconds {
    const at = realClock.now()
    this.#pings?.send(at, padding)
    return at
  }

  /** Tells the neighbour that this peer leaves, and closes the control stream within `limit`. */
  async leave(reason: string, limit: Milliseconds): Promise<void> {
    this.#control?.send({ kind: 'leave', reason: reason.slice(0, 1024) })
    await this.#control?.close(limit)
  }

  /** Ends all waits and the link. To be called once `closing` is aborted. */
  stop(): void {
    this.#control?.abort('this peer closes')
    this.#work.notify()
    this.#retry.notify()
  }

  /** Closes a link that is not permanent when nothing was sent for `idleAfter`. To be called periodically. */
  closeIfIdle(): void {
    if (!this.#isIdle || realClock.now() < this.#lastUsed + this.#context.limits.idleAfter) return
    this.#control?.abort('nothing more to send')
  }

  /** Whether the link is not needed: it is not permanent, no vector waits, and no note was sent for `idleAfter`. */
  get #isIdle(): boolean {
    if (this.#neighbour.isPermanent || this.#queue.length > 0) return false
    return realClock.now() >= this.#lastTold + this.#context.limits.idleAfter
  }

  /** Sends the waiting notes, or drops them when the neighbour does not read earlier ones. */
  #sendNotes(): void {
    const control = this.#control
    if (control === undefined || !this.#neighbour.isUp('outgoing')) return
    this.#notes.sendBy(control)
  }

  /** Waits until the link is needed. */
  async #waitForWork(): Promise<void> {
    while (this.#isIdle && !this.#context.closing.aborted) await this.#work.wait()
  }

  /** Waits while the neighbour is shut out for its faults. */
  async #waitWhileShutOut(): Promise<void> {
    const { faults } = this.#neighbour
    while (faults.isShutOut && !this.#context.closing.aborted) await this.#retry.wait(faults.shutOutUntil)
  }

  /** Drops the queue of an unavailable neighbour, and waits until it is back. */
  async #waitForReturn(): Promise<void> {
    this.#queue.clear()
    this.#context.changed.notify()
    while (this.#neighbour.isUnavailable && !this.#context.closing.aborted) await this.#retry.wait()
  }

  /** One connection from beginning to end. */
  async #attempt(dialler: Dialler, waits: boolean): Promise<AttemptEnd> {
    let began: Milliseconds | undefined
    const upFor = () => (began === undefined ? {} : { upFor: realClock.now() - began })
    try {
      if (waits && (this.#neighbour.isPermanent || this.#queue.length === 0))
        await dialler.awaitCall(this.#retry, this.#reconnection.callWait)
      // A seed has not answered yet: a dial that fails for this would only put off the next one.
      if (this.#reconnection.attempts === 0) await dialler.awaitAddress(this.#retry, this.#context.limits.callWait)
      const streams = await dialler.reach((connection) => this.#join(connection))
      if (streams === undefined) return { reason: this.#neighbour.reason }
      began = realClock.now()
      return { reason: await this.#exchange(streams), ...upFor() }
    } catch (error) {
      this.#handleError(error)
      return { reason: explain(error), isRefusal: isRefusal(error), ...upFor() }
    } finally {
      this.#control?.abort('the link to the neighbour ends')
      this.#control = undefined
      this.#pings = undefined
      this.#neighbour.set('outgoing', false)
    }
  }

  /** Sends a hello, and opens the streams of the link. `undefined` when the neighbour refuses. */
  async #join(connection: Connection): Promise<Streams | undefined> {
    const control = new ControlChannel(
      await openStream(this.#context, connection, controlProtocol),
      this.#neighbour.meter
    )
    this.#control = control
    this.#pings = new Pings(this.#neighbour, control)
    const welcome = await sayHello(this.#context, this.#neighbour, control, this.#queue.first)
    if (welcome === undefined) return undefined
    const via = viaOf(connection.remoteAddr, this.#context, welcome.relayVectors)
    this.#neighbour.routes.set('outgoing', via)
    if (!this.#queue.resume(welcome)) {
      throw new ProtocolFault(`it claims to have vector ${welcome.received}, which was never sent`)
    }
    this.#context.changed.notify()
    this.#neighbour.recordActivity()
    this.#codecs = welcome.codecs
    return openStreams(this.#context, connection, control, via)
  }

  async #exchange({ control, exchange, host }: Streams): Promise<string> {
    if (exchange === undefined) return this.#listen(control)
    const { codec, elements, random } = this.#context
    const linkRandom = codecRandom(random, this.#neighbour.name)
    const encoder = codec.encoderFor(this.#codecs, elements, linkRandom, this.#neighbour.speed)
    const writer = new ExchangeWriter(this.#queue, this.#work, this.#neighbour, encoder)
    exchange.addEventListener('close', () => this.#work.notify())
    this.channel.begin({ control, host, writer })
    this.#neighbour.set('outgoing', true)
    this.#sendNotes()
    this.#pings?.sendOnce()
    if (this.#queue.length > 0) this.channel.consider()
    try {
      return await Promise.race([writer.writeTo(new StreamOutput(exchange, elements)), this.#readControl(control)])
    } finally {
      this.channel.end()
      exchange.abort(new Error('the link to the neighbour ends'))
    }
  }

  /** Runs a link on which vectors are not allowed. */
  #listen(control: ControlChannel): Promise<string> {
    this.#neighbour.set('outgoing', true)
    this.#queue.clear()
    return this.#readControl(control)
  }

  async #readControl(control: ControlChannel): Promise<string> {
    for await (const message of control.messages) this.#handle(message)
    return 'the neighbour has closed the connection'
  }

  #handle(message: ControlMessage): void {
    this.#neighbour.recordActivity()
    if (message.kind === 'pong') return this.#pings?.answered(message.at)
    if (message.kind === 'moved') return this.channel.moved(message.sequence)
    const { first } = this.#queue
    if (message.kind !== 'ack') throw new ProtocolFault(`it sends "${message.kind}" to a sender`)
    const progress = this.#queue.at(message.sequence)?.progress
    if (!this.#queue.acknowledge(message.sequence)) {
      throw new ProtocolFault(`it acknowledges vector ${message.sequence}, which was never sent`)
    }
    if (this.#queue.first === first) throw new ProtocolFault(`it acknowledges vector ${message.sequence} again`)
    this.channel.acknowledged()
    if (progress !== undefined) this.#neighbour.speed.acknowledged(progress.bytes, realClock.now() - progress.began)
    this.#work.notify()
    this.#context.changed.notify()
  }

  /** A neighbour that breaks the protocol is not dialled again; it may dial. */
  #handleError(error: unknown): void {
    if (!(error instanceof ProtocolFault)) return
    // A neighbour with another version of the protocol is not at fault.
    if (this.#control !== undefined) this.#neighbour.faults.add(error.fault, error.message, true)
    this.#neighbour.refuse({ by: 'us', code: 'protocol', reason: error.message })
  }
}
