import type { Milliseconds, PeerName, RefusalCode } from '@murmuration/core'
import { Signal } from './signal.js'
import type { Clock } from './clock.js'
import { Budget } from './budget.js'
import { defaultLimits, type Limits } from './constants.js'
import type { PeerEventListener } from './events.js'
import { FaultAccount, type Faults } from './fault-account.js'
import { LinkSpeed } from './link-speed.js'
import { type Traffic, TrafficMeter } from './traffic.js'

/** How things stand with a neighbour. */
export type NeighbourState = 'connecting' | 'ready' | 'silent' | 'refused' | 'left'

/** What there is to know about a neighbour now. */
export interface NeighbourStatus {
  readonly name: PeerName
  readonly state: NeighbourState
  /** Why it is not ready; empty when it is. */
  readonly why: string
  /** The last round that it told, with a vector or a ping. */
  readonly round: number
  /** How long ago it was last heard; absent when it never was. */
  readonly unheard?: Milliseconds
  /** Vectors that wait here for its acknowledgement. */
  readonly queue: number
  /** How long the last ping took there and back; absent until one was answered. Pings are sent now and then. */
  readonly roundTrip?: Milliseconds
  /** How fast vectors get there, in bytes per second as they are on the link; absent until one was acknowledged. */
  readonly speed?: number
  readonly traffic: Traffic
  /** What it did wrong since the start. */
  readonly faults: Faults
}

/** How many it takes to know a link: those at the start find both sides busy. */
export const roundTripsNeeded = 3

/** The most streams that a neighbour may open at once. */
const maxStreams = 32

/** The most control messages that a neighbour may send at once, and per second. */
const maxMessages = 1000

/** The two directions of a neighbour, named from here. */
export type Direction = 'outgoing' | 'incoming'

/** What is refused, by whom and why. */
export interface Refusal {
  readonly by: 'us' | 'them'
  readonly code: RefusalCode
  readonly why: string
}

/** The state of one neighbour, from what its two links report. Tells each change once. */
export class Neighbour {
  readonly name: PeerName
  /** Whether both directions stand from the start to the end; otherwise each is there while something is sent. */
  readonly isStanding: boolean
  readonly meter = new TrafficMeter()
  readonly speed = new LinkSpeed()
  readonly faults: FaultAccount
  /** Streams that it may open: each attempt to connect opens two, and attempts come at intervals of `maxBackoff` in the end. */
  readonly streams: Budget
  /** Control messages that it may send as one that sends vectors. */
  readonly messages: Budget
  readonly #clock: Clock
  readonly #emit: PeerEventListener
  readonly #changed: Signal
  readonly #up = new Set<Direction>()
  #refusal: Refusal | undefined
  #left: string | undefined
  #silent = false
  #trouble = 'not connected yet'
  #heard: Milliseconds | undefined
  #round = 0
  #roundTrip: Milliseconds | undefined
  #answers = 0
  #shortest = Number.POSITIVE_INFINITY
  /** When the ping was sent that was answered last. */
  #answered = Number.NEGATIVE_INFINITY
  readonly #pong = new Signal()

  /** @param changed - notified when the state changes */
  constructor(
    name: PeerName,
    clock: Clock,
    emit: PeerEventListener,
    changed: Signal,
    limits: Limits = defaultLimits,
    isStanding = true
  ) {
    this.faults = new FaultAccount(name, clock, emit, limits)
    this.streams = new Budget(clock, maxStreams, limits.maxBackoff / 2)
    this.messages = new Budget(clock, maxMessages, 1000 / maxMessages)
    this.name = name
    this.#clock = clock
    this.#emit = emit
    this.#changed = changed
    this.isStanding = isStanding
  }

  get state(): NeighbourState {
    if (this.#refusal !== undefined) return 'refused'
    if (this.#left !== undefined) return 'left'
    if (!this.stands) return 'connecting'
    return this.#silent ? 'silent' : 'ready'
  }

  /** Whether all directions stand that have to. */
  get stands(): boolean {
    return this.#up.size >= (this.isStanding ? 2 : 1)
  }

  /** Whether there is no point in calling it, because it has refused, was refused or has left. */
  get gone(): boolean {
    return this.#refusal !== undefined || this.#left !== undefined
  }

  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** How long it was not heard; 0 when it never was. */
  get unheard(): Milliseconds {
    return this.#heard === undefined ? 0 : this.#clock.now() - this.#heard
  }

  /** Notes that one direction stands, or stands no more. */
  set(direction: Direction, up: boolean): void {
    this.#change(() => {
      if (up) this.#up.add(direction)
      else this.#up.delete(direction)
    })
  }

  /** Whether a direction stands. */
  isUp(direction: Direction): boolean {
    return this.#up.has(direction)
  }

  /** Notes the answer to a ping that was sent at `at`. A time that cannot be is ignored. */
  answered(at: Milliseconds): void {
    const roundTrip = this.#clock.now() - at
    if (!(roundTrip >= 0)) return
    this.#roundTrip = roundTrip
    this.#answers++
    this.#shortest = Math.min(this.#shortest, roundTrip)
    this.#answered = at
    this.#pong.notify()
  }

  /** How many pings were answered. */
  get answers(): number {
    return this.#answers
  }

  /**
   * The shortest round trip of all, which is the link's own; `undefined` while few are known. Not that of the last few: while vectors
   * are on their way all are long, and a window chosen by them would make them longer.
   */
  get bestRoundTrip(): Milliseconds | undefined {
    return this.#answers < roundTripsNeeded ? undefined : this.#shortest
  }

  /** The round trip of a ping that was sent at `at`; `undefined` when it is not answered until `until`. */
  async answerTo(at: Milliseconds, until: Milliseconds): Promise<Milliseconds | undefined> {
    while (this.#answered < at && this.#clock.now() < until) await this.#pong.wait(until)
    return this.#answered < at ? undefined : this.#roundTrip
  }

  /** Notes why the last attempt to connect failed. */
  failed(why: string): void {
    this.#trouble = why
  }

  /** Notes a sign of life, and the round that it tells. */
  heard(round?: number): void {
    this.#heard = this.#clock.now()
    if (round !== undefined) this.#round = round
    if (this.#silent) this.#change(() => (this.#silent = false))
  }

  /** Time in which this process was stalled and could not have heard anybody does not count. */
  forgive(stalled: Milliseconds): void {
    if (this.#heard !== undefined) this.#heard = Math.min(this.#clock.now(), this.#heard + stalled)
  }

  /** Calls it silent when it was not heard for `limit`. */
  listen(limit: Milliseconds): void {
    if (this.#silent || !this.stands || this.unheard < limit) return
    this.#change(() => (this.#silent = true))
  }

  refuse(refusal: Refusal): void {
    const known = this.#refusal !== undefined
    this.#change(() => (this.#refusal = refusal))
    if (!known) this.#emit({ kind: 'refused', peer: this.name, ...refusal })
  }

  leave(reason: string): void {
    if (this.#left !== undefined) return
    this.#change(() => (this.#left = reason))
    this.#emit({ kind: 'bye', peer: this.name, reason })
  }

  /** Notes an acceptable hello: whatever was before, it is here now. */
  arrived(): void {
    this.#change(() => {
      this.#refusal = undefined
      this.#left = undefined
      this.#silent = false
    })
  }

  /** Why it is not ready; empty when it is. */
  get why(): string {
    if (this.#refusal !== undefined) return this.#refusal.why
    if (this.#left !== undefined) return this.#left
    if (!this.stands) return this.#trouble
    return this.#silent ? `not heard for ${Math.round(this.unheard / 1000)} s` : ''
  }

  status(queue: number): NeighbourStatus {
    const unheard = this.#heard === undefined ? {} : { unheard: this.unheard }
    const { name, state, why } = this
    const roundTrip = this.#roundTrip === undefined ? {} : { roundTrip: this.#roundTrip }
    const bytes = this.speed.bytesPerMillisecond
    const speed = bytes === undefined ? {} : { speed: 1000 * bytes }
    return {
      name,
      state,
      why,
      round: this.#round,
      ...unheard,
      queue,
      ...roundTrip,
      ...speed,
      traffic: this.meter.read(),
      faults: this.faults.read()
    }
  }

  #change(act: () => void): void {
    const before = this.state
    act()
    const after = this.state
    if (before === after) return
    if (after === 'ready') this.#emit({ kind: 'ready', peer: this.name })
    if (after === 'connecting' && !this.isStanding) this.#emit({ kind: 'idle', peer: this.name })
    if (after === 'silent') this.#emit({ kind: 'silent', peer: this.name, unheard: this.unheard })
    this.#changed.notify()
  }
}
