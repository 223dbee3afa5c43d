import {
  pow,
  type Envelope,
  invariant,
  isLaterEpoch,
  type LinkWire,
  type Milliseconds,
  type NoteListener,
  type PeerName,
  type Random,
  segmentBytes
} from '@murmuration/core'
import type { Event } from './event-queue.js'
import type { Gate } from './program.js'
import type { Kernel } from './kernel.js'
import type { Mailbox } from './mailbox.js'
import { type NetworkChannel, type NetworkOptions, type Transfer } from './network/network.js'
import type { TimeUse } from './time-use.js'
import type { EndpointPath } from './endpoint-path.js'

/** The state of an endpoint: not yet joined, running, crashed, or ended. */
export type EndpointState = 'absent' | 'up' | 'crashed' | 'ended'

/** One end of connections: a peer or server of a simulation. */
export interface End<Message> {
  readonly name: PeerName
  readonly index: number
  readonly presence: EndpointState
  readonly incarnation: number
  readonly timeUse: TimeUse
  readonly mailbox: Mailbox<Delivery<Message>>
  readonly gate: Gate
  readonly listener: NoteListener | undefined
  isTakenIn(delivery: Delivery<Message>, kernel: Kernel): boolean
}

/** What a connection needs of its simulation. */
export interface Carrier<Message> {
  now(): Milliseconds
  add(event: Event): void
  /** A delivery has arrived, or is lost, perhaps before it was sent; called once for each. */
  arrived(delivery: Delivery<Message>): void
  lost(delivery: Delivery<Message>, wasSent: boolean): void
}

/** A message in flight: an envelope with its state, which is also the event of its arrival. */
export class Delivery<Message> implements Envelope<Message>, Transfer, Event {
  state: 'sending' | 'in flight' | 'over' = 'sending'
  /** When it arrives, once known. */
  time: Milliseconds = Number.NaN
  cancelled = false

  constructor(
    readonly connection: Connection<Message>,
    readonly message: Message,
    readonly bytes: number,
    /** Of these, what the algorithm wanted to send. */
    readonly payload: number,
    /** How much of the connection's queue it takes. */
    readonly weight: number,
    readonly sentAt: Milliseconds,
    /** An extra delay of its arrival. */
    readonly delay: Milliseconds
  ) {}

  get from(): PeerName {
    return this.connection.from.name
  }

  sent(): void {
    this.connection.markSent(this)
  }

  withdrawn(): void {
    this.connection.withdraw(this)
  }

  /** The message arrives. */
  fire(): void {
    this.connection.arrive(this)
  }
}

/** How a connection transports messages. */
export interface ConnectionRoute {
  /** Undefined between endpoints on one machine. */
  readonly channel: NetworkChannel | undefined
  readonly path: EndpointPath['path']
  readonly transport: NetworkOptions['transport']
  readonly random: Random
}

/**
 * A connection from one endpoint to another, from when both began until either begins anew. Messages arrive in the
 * order of sending, unless it carries datagrams.
 */
export class Connection<Message> {
  readonly from: End<Message>
  readonly to: End<Message>
  /** Measures and copies messages. */
  readonly wire: LinkWire<Message>
  /** Messages in flight or in the mailbox, by weight. */
  pending = 0
  readonly #carrier: Carrier<Message>
  readonly #channel: NetworkChannel | undefined
  readonly #path: EndpointPath['path']
  readonly #random: Random
  readonly #isStream: boolean
  readonly #fromIncarnation: number
  readonly #toIncarnation: number
  #lastArrival: Milliseconds = 0
  /** Of the last message. */
  #epoch = 0

  constructor(
    from: End<Message>,
    to: End<Message>,
    carrier: Carrier<Message>,
    route: ConnectionRoute,
    wire: LinkWire<Message>
  ) {
    this.wire = wire
    this.from = from
    this.to = to
    this.#carrier = carrier
    this.#channel = route.channel
    this.#path = route.path
    this.#random = route.random
    this.#isStream = route.transport === 'stream'
    this.#fromIncarnation = from.incarnation
    this.#toIncarnation = to.incarnation
  }

  /**
   * Whether neither end has begun anew since the connection was made. If one has, what is still in flight is not
   * expected.
   */
  get isPresent(): boolean {
    return this.from.incarnation === this.#fromIncarnation && this.to.incarnation === this.#toIncarnation
  }

  /** Drops what was sent in earlier epochs and has not begun. Returns false for an epoch that is over. */
  turnTo(epoch: number): boolean {
    if (epoch === this.#epoch) return true
    if (this.pending > 0 && !isLaterEpoch(epoch, this.#epoch)) return false
    this.#epoch = epoch
    this.#channel?.withdraw()
    return true
  }

  send(delivery: Delivery<Message>): void {
    this.pending += delivery.weight
    const channel = this.#channel
    if (channel === undefined) {
      delivery.state = 'in flight'
      this.#planArrival(delivery, this.#carrier.now() + delivery.delay)
      return
    }
    this.from.timeUse.transfer(this.#carrier.now(), 1)
    channel.send(delivery)
  }

  /** The last byte was sent. */
  markSent(delivery: Delivery<Message>): void {
    invariant(delivery.state === 'sending', 'a message was sent twice')
    const now = this.#carrier.now()
    delivery.state = 'in flight'
    this.from.timeUse.transfer(now, -1)
    const { latency, jitter, loss } = this.#path
    if (loss > 0 && this.#random.uniform() >= pow(1 - loss, packetsOf(delivery))) {
      this.#over(delivery)
      this.#carrier.lost(delivery, true)
      return
    }
    const jitterDelay = jitter > 0 ? this.#random.uniform() * jitter : 0
    this.#planArrival(delivery, now + latency + jitterDelay + delivery.delay)
  }

  /** The message is dropped before it began. */
  withdraw(delivery: Delivery<Message>): void {
    invariant(delivery.state === 'sending', 'a message was dropped that was sent')
    delivery.state = 'over'
    this.from.timeUse.transfer(this.#carrier.now(), -1)
    this.#carrier.lost(delivery, false)
  }

  /** The message has arrived. */
  arrive(delivery: Delivery<Message>): void {
    this.#over(delivery)
    this.#carrier.arrived(delivery)
  }

  /** The sender has crashed: what was not sent is lost; what was sent arrives. */
  cut(): void {
    this.#channel?.cut()
  }

  /** The receiver has taken a message out of its mailbox, or never will. */
  taken({ weight }: Delivery<Message>): void {
    this.pending -= weight
    invariant(this.pending >= 0, () => `${this.to.name} took more messages of ${this.from.name} than were sent`)
  }

  #planArrival(delivery: Delivery<Message>, arrival: Milliseconds): void {
    const time = this.#isStream ? Math.max(arrival, this.#lastArrival) : arrival
    this.#lastArrival = time
    delivery.time = time
    this.#carrier.add(delivery)
  }

  #over(delivery: Delivery<Message>): void {
    invariant(delivery.state === 'in flight', 'a message arrived that was not in flight')
    delivery.state = 'over'
  }
}

/** How many packets this many bytes are sent in. */
export function packetsOf({ bytes }: Pick<Transfer, 'bytes'>): number {
  return Math.max(1, Math.ceil(bytes / segmentBytes))
}
