import type { Connection, Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { Queue } from '@libp2p/utils'
import { multiaddr } from '@multiformats/multiaddr'
import type { Milliseconds, SendResult } from '@murmuration/core'
import { codecRandom, type VectorMessage } from '@murmuration/vectors'
import { Bell } from './bell.js'
import { realClock } from './clock.js'
import { controlProtocol, exchangeProtocol, protocolVersion } from './constants.js'
import { type MemberContext, openConnection, type Streams } from './context.js'
import { ControlChannel } from './control-channel.js'
import { type ControlMessage, ProtocolFault, type Refused, type Welcome } from './control-messages.js'
import { ExchangeWriter } from './exchange-writer.js'
import { explain, wordsOf } from './explain.js'
import { foreignText } from './foreign-text.js'
import { type Neighbour, roundTripsNeeded } from './neighbour.js'
import type { RosterEntry } from './roster.js'
import { SendQueue } from './send-queue.js'
import { mismatchOf } from './terms.js'

/**
 * The calls of all peers of this process, as they share one processor: were more under way, each would take longer, and all would come to the
 * end of their time at once, which throws away what they have computed. One peer alone has fewer (`dialsAtOnce`).
 */
const processDials = new Queue<Streams | undefined>({ concurrency: 16 })

/**
 * The direction from this peer to one neighbour: calls it, or uses the connection by which it has called, says hello,
 * writes frames, and starts over when that ends.
 */
export class OutgoingLink {
  readonly #context: MemberContext
  readonly #neighbour: Neighbour
  readonly #onAcknowledged: () => void
  readonly #onAnswer: () => void
  readonly #queue: SendQueue
  /** Rung when there may be another frame to write, and so a reason to call. */
  readonly #work = new Bell()
  /** Rung when another attempt to connect may be worth while. */
  readonly #chance = new Bell()
  #control: ControlChannel | undefined
  /** When something was offered last. */
  #used: Milliseconds = 0
  /** Aborted when the neighbour has called while a call to it waited for its turn. */
  #waiting: AbortController | undefined
  /** Pings that are not answered yet. */
  #pings = 0
  /** In which the neighbour takes vectors, beside raw float32. */
  #codecs: readonly string[] = []

  /** @param onAnswer - called when the neighbour has answered a ping */
  constructor(context: MemberContext, neighbour: Neighbour, onAcknowledged: () => void, onAnswer: () => void) {
    this.#context = context
    this.#neighbour = neighbour
    this.#onAcknowledged = onAcknowledged
    this.#onAnswer = onAnswer
    this.#queue = new SendQueue(context.elements, context.limits.sendQueue)
  }

  /** Vectors that wait for an acknowledgement. */
  get queued(): number {
    return this.#queue.length
  }

  /** Takes a message for the neighbour. Its vector is not used for anything else until it has gone. */
  offer({ kind, round, part = 0, field = 0, numbers, offset = 0, vector }: VectorMessage): SendResult {
    const { pool, closing } = this.#context
    if (this.#neighbour.gone || closing.aborted) return 'unreachable'
    const loan = pool.hold(vector)
    const onGone = () => loan && pool.release(loan)
    if (!this.#queue.offer({ kind, round, part, field, numbers, offset, vector, onGone })) {
      onGone()
      return 'full'
    }
    this.#used = realClock.now()
    this.#work.ring()
    return 'queued'
  }

  /**
   * Keeps the link up until the peer closes; one that does not stand, while there is something to send and for a while after.
   *
   * @param waits - whether the neighbour is to call first
   */
  async run(entry: RosterEntry, waits: boolean): Promise<void> {
    const { limits, closing, emit } = this.#context
    const peer = this.#neighbour.name
    await this.#reason()
    if (!closing.aborted) emit({ kind: 'connecting', peer })
    for (let failures = 0; !closing.aborted;) {
      await this.#reason()
      await this.#shutOut()
      if (closing.aborted) return
      const { why, stood } = await this.#attempt(entry, waits)
      if (this.#isIdle) {
        this.#hangUp(entry)
        failures = 0
        continue
      }
      failures = stood > limits.backoffMost ? 1 : failures + 1
      this.#neighbour.failed(why)
      const wait = this.#backoff(failures)
      await this.#pause(wait)
      if (closing.aborted) return
      // A neighbour that has said goodbye is not called again, and often its goodbye comes just after the loss.
      if (!this.#neighbour.gone) {
        emit({ kind: 'reconnecting', peer, attempt: failures, wait, why })
        continue
      }
      await this.#away()
      failures = 0
    }
  }

  /** Says that something has changed: the neighbour has called, or is welcome again. */
  encourage(): void {
    this.#waiting?.abort()
    this.#chance.ring()
  }

  /** Tells the neighbour that this peer is alive, and measures the round trip to it. */
  ping(padding = ''): Milliseconds {
    const at = realClock.now()
    if (this.#control !== undefined) this.#pings++
    this.#control?.send({ kind: 'ping', round: this.#context.round(), at, padding })
    return at
  }

  /** Tells the neighbour that this peer stops, within `limit`. */
  async bye(reason: string, limit: Milliseconds): Promise<void> {
    this.#control?.send({ kind: 'bye', reason: reason.slice(0, 1024) })
    await this.#control?.close(limit)
  }

  /** Ends what goes on. To be called when `closing` is aborted. */
  stop(): void {
    this.#control?.abort('this peer closes')
    this.#work.ring()
    this.#chance.ring()
  }

  /** Lets a link go that does not have to stand when nothing was sent for a while. To be called now and then. */
  rest(): void {
    if (!this.#isIdle || realClock.now() < this.#used + this.#context.limits.idleAfter) return
    this.#control?.abort('nothing more is sent')
  }

  /** Whether there is no reason to have the link. */
  get #isIdle(): boolean {
    return !this.#context.isStanding && this.#queue.length === 0
  }

  /** Waits for a reason to have the link. */
  async #reason(): Promise<void> {
    while (this.#isIdle && !this.#context.closing.aborted) await this.#work.wait()
  }

  /** Ends the connection, unless the other side uses it. */
  #hangUp(entry: RosterEntry): void {
    if (!this.#neighbour.isUp('incoming')) this.#standing(entry)?.abort(new Error('nothing more is sent'))
  }

  /** Waits while the neighbour is shut out for its faults. */
  async #shutOut(): Promise<void> {
    const { faults } = this.#neighbour
    while (faults.isShutOut && !this.#context.closing.aborted) await this.#chance.wait(faults.shutOutUntil)
  }

  /** Waits before the next attempt, unless there is a reason to make it at once, or none to make it. */
  async #pause(wait: Milliseconds): Promise<void> {
    if (!this.#neighbour.gone && !this.#context.closing.aborted) await this.#chance.wait(realClock.now() + wait)
  }

  /** Waits until the neighbour that has gone is back. What was meant for it is forgotten. */
  async #away(): Promise<void> {
    this.#queue.clear()
    this.#onAcknowledged()
    while (this.#neighbour.gone && !this.#context.closing.aborted) await this.#chance.wait()
  }

  /** One connection from beginning to end: why it ended, and how long the link stood. */
  async #attempt(entry: RosterEntry, waits: boolean): Promise<{ readonly why: string; readonly stood: Milliseconds }> {
    let began = Number.POSITIVE_INFINITY
    try {
      if (waits) await this.#awaitCall(entry)
      const streams = await this.#connect(entry)
      if (streams === undefined) return { why: this.#neighbour.why, stood: 0 }
      began = realClock.now()
      return { why: await this.#exchange(streams), stood: realClock.now() - began }
    } catch (error) {
      this.#blame(error)
      return { why: explain(error), stood: Math.max(0, realClock.now() - began) }
    } finally {
      this.#control?.abort('the link to the neighbour ends')
      this.#control = undefined
      this.#neighbour.set('outgoing', false)
    }
  }

  /** Waits until the neighbour has called, but not for long. */
  async #awaitCall(entry: RosterEntry): Promise<void> {
    const { limits, closing } = this.#context
    const until = realClock.now() + limits.callWait
    while (this.#standing(entry) === undefined && realClock.now() < until && !closing.aborted) {
      await this.#chance.wait(until)
    }
  }

  #standing({ id }: RosterEntry): Connection | undefined {
    return openConnection(this.#context.node, peerIdFromString(id))
  }

  /** Says hello over the connection that stands; otherwise calls when its turn has come, unless the neighbour calls before. */
  async #connect(entry: RosterEntry): Promise<Streams | undefined> {
    const standing = this.#standing(entry)
    if (standing !== undefined) return this.#join(standing, entry)
    if (entry.addresses.length === 0) throw new Error('it has no address in the roster and has not called')
    const waiting = new AbortController()
    this.#waiting = waiting
    const call = async () => {
      this.#waiting = undefined
      return this.#join(this.#standing(entry) ?? (await this.#dial(entry)), entry)
    }
    try {
      return await this.#inTurn(call, waiting.signal)
    } catch (error) {
      if (waiting.signal.aborted) return call()
      throw error
    }
  }

  /** Makes a call in its turn, which lasts until the hello is answered: what is computed for that is as much as for the connection. */
  async #inTurn(call: () => Promise<Streams | undefined>, unless: AbortSignal): Promise<Streams | undefined> {
    const { dials, closing } = this.#context
    const signal = AbortSignal.any([closing, unless])
    return dials.add(() => processDials.add(call, { signal }), { signal })
  }

  /** Says hello, and opens the streams of the link. `undefined` when the neighbour does not agree. */
  async #join(connection: Connection, entry: RosterEntry): Promise<Streams | undefined> {
    const control = new ControlChannel(await this.#open(connection, controlProtocol), this.#neighbour.meter)
    this.#control = control
    this.#pings = 0
    if (!(await this.#greet(control, entry))) return undefined
    return { control, exchange: await this.#open(connection, exchangeProtocol) }
  }

  #dial({ addresses }: RosterEntry): Promise<Connection> {
    const { node, limits, closing } = this.#context
    const signal = AbortSignal.any([closing, AbortSignal.timeout(limits.dialTimeout)])
    return node.dial(
      addresses.map((address) => multiaddr(address)),
      { signal }
    )
  }

  async #open(connection: Connection, protocol: string): Promise<Stream> {
    const { limits, closing } = this.#context
    const signal = AbortSignal.any([closing, AbortSignal.timeout(limits.handshakeTimeout)])
    try {
      return await connection.newStream(protocol, { signal })
    } catch (error) {
      if (error instanceof Error && error.name === 'UnsupportedProtocolError') {
        throw new ProtocolFault(`it does not speak ${protocol}`)
      }
      // One that was refused can look open for ever, and would be taken again by the next attempt.
      connection.abort(new Error('no stream can be opened'))
      if (signal.aborted)
        throw new Error(`it did not answer within ${limits.handshakeTimeout / 1000} s`, { cause: error })
      throw new Error(`${hint(this.#context.node.peerId.toString())} (${foreignText(wordsOf(error))})`, {
        cause: error
      })
    }
  }

  /** Says hello and takes the answer. Returns whether the neighbour agrees. */
  async #greet(control: ControlChannel, entry: RosterEntry): Promise<boolean> {
    const { self, terms, incarnation, limits, round, isStanding } = this.#context
    const first = this.#queue.first
    const version = protocolVersion
    const codecs = this.#context.codec.wanted
    const hello = { kind: 'hello', version, name: self, terms, incarnation, first, round: round(), codecs } as const
    control.send(isStanding ? hello : { ...hello, inPassing: true })
    const answer = await control.first(limits.handshakeTimeout)
    if (answer.kind === 'refused') return this.#refused(answer)
    if (answer.kind !== 'welcome') throw new ProtocolFault(`it answers a hello with ${answer.kind}`)
    if (answer.name !== entry.name) throw new ProtocolFault(`it calls itself "${answer.name}"`)
    this.#resume(answer)
    return true
  }

  #resume(welcome: Welcome): void {
    if (!this.#queue.resume(welcome)) {
      throw new ProtocolFault(`it claims to have vector ${welcome.received}, which was never sent`)
    }
    this.#onAcknowledged()
    this.#neighbour.heard(welcome.round)
    this.#codecs = welcome.codecs
  }

  #refused(answer: Refused): false {
    const mismatch = answer.terms === undefined ? undefined : mismatchOf(this.#context.terms, answer.terms)
    const { code, why } = mismatch ?? answer
    this.#neighbour.refuse({ by: 'them', code, why })
    return false
  }

  async #exchange({ control, exchange }: Streams): Promise<string> {
    const { codec, elements, sender } = this.#context
    const random = codecRandom(sender, this.#neighbour.name)
    const encoder = codec.encoderFor(this.#codecs, elements, random, this.#neighbour.speed)
    const writer = new ExchangeWriter(this.#queue, this.#work, this.#neighbour, elements, encoder)
    this.#neighbour.set('outgoing', true)
    this.ping()
    try {
      return await Promise.race([writer.writeTo(exchange), this.#listen(control)])
    } finally {
      exchange.abort(new Error('the link to the neighbour ends'))
    }
  }

  async #listen(control: ControlChannel): Promise<string> {
    for await (const message of control.messages) this.#take(message)
    return 'the neighbour has closed the connection'
  }

  #take(message: ControlMessage): void {
    this.#neighbour.heard()
    if (message.kind === 'pong') return this.#answered(message.at)
    const { first } = this.#queue
    if (message.kind !== 'ack') throw new ProtocolFault(`it says ${message.kind} to one who sends`)
    const progress = this.#queue.at(message.sequence)?.progress
    if (!this.#queue.acknowledge(message.sequence)) {
      throw new ProtocolFault(`it acknowledges vector ${message.sequence}, which was never sent`)
    }
    if (this.#queue.first === first) throw new ProtocolFault(`it acknowledges vector ${message.sequence} again`)
    if (progress !== undefined) this.#neighbour.speed.acknowledged(progress.bytes, realClock.now() - progress.began)
    this.#work.ring()
    this.#onAcknowledged()
  }

  #answered(at: Milliseconds): void {
    if (this.#pings-- <= 0) throw new ProtocolFault('it answers a ping that was never sent')
    this.#neighbour.answered(at)
    if (this.#neighbour.answers < roundTripsNeeded) this.ping()
    this.#onAnswer()
  }

  /** A neighbour that breaks the protocol is not called again; it may call. */
  #blame(error: unknown): void {
    if (!(error instanceof ProtocolFault)) return
    // To speak another version is no fault.
    if (this.#control !== undefined) this.#neighbour.faults.add(error.fault, error.message, true)
    this.#neighbour.refuse({ by: 'us', code: 'protocol', why: error.message })
  }

  /** Doubles from attempt to attempt, and is drawn from the upper half so that peers do not call in step. */
  #backoff(attempt: number): Milliseconds {
    const { backoffFirst, backoffMost } = this.#context.limits
    const wait = Math.min(backoffMost, backoffFirst * 2 ** Math.min(attempt - 1, 30))
    return Math.round(wait * (0.5 + 0.5 * this.#context.random.uniform()))
  }
}

function hint(ownId: string): string {
  return `it closed the connection before the handshake: it may not have this peer's id ${ownId} in its roster, or no roster yet`
}
