import { Budget, type Milliseconds, type PeerName, type RefusalCode } from '@murmuration/core'
import { Signal } from '../base/signal.js'
import type { TimerClock } from '../base/clock.js'
import { defaultLimits, type Limits } from '../base/constants.js'
import type { PeerEventListener } from '../base/events.js'
import { FaultAccount, type NeighbourFaults } from './fault-account.js'
import { LinkSpeed } from '../vectors/link-speed.js'
import { noteReadingBudget } from './notes.js'
import { type Direction, Routes } from '../relay/routes.js'
import { type Traffic, TrafficMeter } from '../base/traffic.js'

/** The state of a neighbour; 'barred': connected, but through a relay over which vectors are not allowed. */
export type NeighbourState = 'connecting' | 'ready' | 'barred' | 'silent' | 'refused' | 'left'

/** A neighbour's state and figures. */
export interface NeighbourStatus {
  readonly name: PeerName
  readonly state: NeighbourState
  /** Why it is not ready; empty when it is. */
  readonly reason: string
  /** The time since its last message; absent before the first. */
  readonly silentFor?: Milliseconds
  /** The number of unacknowledged vectors. */
  readonly queue: number
  /** Whether vectors to it go over a data channel rather than over the connection of libp2p. */
  readonly channel: boolean
  /** The address of the relay of the link, if there is one. */
  readonly relay?: string
  /** The round trip of the last ping; absent until the first answer. */
  readonly roundTrip?: Milliseconds
  /** The speed of vectors to it, in bytes per second on the link; absent until the first acknowledgement. */
  readonly speed?: number
  readonly traffic: Traffic
  /** Its faults since the start. */
  readonly faults: NeighbourFaults
}

/** How many round trips must be measured before a link's is known: during the first ones both sides are busy. */
export const roundTripsNeeded = 3

/** Why a neighbour is not ready before the first attempt to connect has ended. */
export const notConnectedYet = 'not connected yet'

/** The most streams that a neighbour may open at once. */
const maxStreams = 32

/** The most data channels that a neighbour may offer at once. */
const maxChannels = 16

/** The most control messages that a neighbour may send at once, and per second; a note counts as one for each KiB. */
const maxMessages = 1000

/** A refusal: by which side and why. */
export interface Refusal {
  readonly by: 'us' | 'them'
  readonly code: RefusalCode
  readonly reason: string
}

/** The state of one neighbour, derived from its two links. Each change is reported once. */
export class Neighbour {
  readonly name: PeerName
  /** Whether both directions are kept up from start to end; otherwise each exists only while something is sent. */
  readonly isPermanent: boolean
  readonly meter = new TrafficMeter()
  /** The relays of its two directions. */
  readonly routes = new Routes()
  readonly speed = new LinkSpeed()
  readonly faults: FaultAccount
  /**
   * The budget of streams that it may open: each attempt to connect opens two, and repeated attempts are `maxBackoff`
   * apart.
   */
  readonly streams: Budget
  /** The budget of its control messages as a sender of vectors. */
  readonly messages: Budget
  /** The budget of data channels that it may offer: it waits longer after each one that fails. */
  readonly channels: Budget
  /** The budget of notes that are taken from it, by weight. */
  readonly notes: Budget
  readonly #clock: TimerClock
  readonly #emit: PeerEventListener
  readonly #changed: Signal
  readonly #onActivity: () => void
  readonly #up = new Set<Direction>()
  #refusal: Refusal | undefined
  #left: string | undefined
  #incarnation: string | undefined
  #silent = false
  #lastFailure = notConnectedYet
  #lastActivity: Milliseconds | undefined
  #roundTrip: Milliseconds | undefined
  #answers = 0
  #shortest = Number.POSITIVE_INFINITY
  /** The time of the last answered ping. */
  #answered = Number.NEGATIVE_INFINITY
  readonly #pong = new Signal()

  /**
   * @param changed - notified when the state changes
   * @param heard - called whenever anything has arrived from it
   */
  constructor(
    name: PeerName,
    clock: TimerClock,
    emit: PeerEventListener,
    changed: Signal,
    limits: Limits = defaultLimits,
    isPermanent = true,
    onActivity = () => {}
  ) {
    this.faults = new FaultAccount(name, clock, emit, limits)
    this.streams = new Budget(clock, maxStreams, limits.maxBackoff / 2)
    this.messages = new Budget(clock, maxMessages, 1000 / maxMessages)
    this.channels = new Budget(clock, maxChannels, limits.maxBackoff)
    this.notes = noteReadingBudget(clock)
    this.name = name
    this.#clock = clock
    this.#emit = emit
    this.#changed = changed
    this.isPermanent = isPermanent
    this.#onActivity = onActivity
  }

  get state(): NeighbourState {
    if (this.#refusal !== undefined) return 'refused'
    if (this.#left !== undefined) return 'left'
    if (!this.isConnected) return 'connecting'
    if (this.#silent) return 'silent'
    return this.routes.bar === undefined ? 'ready' : 'barred'
  }

  /** Whether all directions that must be up are up. */
  get isConnected(): boolean {
    return this.#up.size >= (this.isPermanent ? 2 : 1)
  }

  /** Whether it has refused, was refused or has left, so that it is not dialled. */
  get isUnavailable(): boolean {
    return this.#refusal !== undefined || this.#left !== undefined
  }

  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** The time since its last message; 0 before the first. */
  get silentFor(): Milliseconds {
    return this.#lastActivity === undefined ? 0 : this.#clock.now() - this.#lastActivity
  }

  /** Records that one direction is up, or no longer is. */
  set(direction: Direction, up: boolean): void {
    this.#change(() => {
      if (up) this.#up.add(direction)
      else this.#up.delete(direction)
      if (!up) this.routes.set(direction, undefined)
    })
  }

  /** Whether a direction is up. */
  isUp(direction: Direction): boolean {
    return this.#up.has(direction)
  }

  /** Records the answer to a ping that was sent at `at`. An impossible time is ignored. */
  recordPong(at: Milliseconds): void {
    const roundTrip = this.#clock.now() - at
    if (!(roundTrip >= 0)) return
    this.#roundTrip = roundTrip
    this.#answers++
    this.#shortest = Math.min(this.#shortest, roundTrip)
    this.#answered = at
    this.#pong.notify()
  }

  /** How many pings were answered. */
  get answeredPings(): number {
    return this.#answers
  }

  /**
   * The shortest round trip of all pings, which is that of the idle link; `undefined` while few are known. Not the
   * shortest of the last few: while vectors are in flight all are long, and a window chosen by these would make them
   * longer.
   */
  get bestRoundTrip(): Milliseconds | undefined {
    return this.#answers < roundTripsNeeded ? undefined : this.#shortest
  }

  /** The round trip of a ping that was sent at `at`; `undefined` without an answer until `until`. */
  async waitForPong(at: Milliseconds, until: Milliseconds): Promise<Milliseconds | undefined> {
    while (this.#answered < at && this.#clock.now() < until) await this.#pong.wait(until)
    return this.#answered < at ? undefined : this.#roundTrip
  }

  /** Records why the last attempt to connect failed. */
  recordFailure(reason: string): void {
    this.#lastFailure = reason
  }

  /** Records that a message has arrived. */
  recordActivity(): void {
    this.#lastActivity = this.#clock.now()
    if (this.#silent) this.#change(() => (this.#silent = false))
    // For the algorithm, a neighbour to which vectors are not allowed is absent.
    if (this.routes.bar === undefined) this.#onActivity()
  }

  /** Excludes time in which this process was stalled and could not receive. */
  excuseStall(stalled: Milliseconds): void {
    if (this.#lastActivity !== undefined) this.#lastActivity = Math.min(this.#clock.now(), this.#lastActivity + stalled)
  }

  /** Marks it silent when it has sent nothing for `limit`. */
  checkSilence(limit: Milliseconds): void {
    if (this.#silent || !this.isConnected || this.silentFor < limit) return
    this.#change(() => (this.#silent = true))
  }

  refuse(refusal: Refusal): void {
    const wasRefused = this.#refusal !== undefined
    this.#change(() => (this.#refusal = refusal))
    if (!wasRefused) this.#emit({ kind: 'refused', peer: this.name, ...refusal })
  }

  leave(reason: string): void {
    if (this.#left !== undefined) return
    this.#change(() => (this.#left = reason))
    this.#emit({ kind: 'left', peer: this.name, reason })
  }

  /** Records which process of the neighbour has said hello. */
  meet(incarnation: string): void {
    const isAnother = this.#incarnation !== incarnation
    this.#incarnation = incarnation
    if (isAnother && this.state === 'ready') this.#emitReady()
  }

  /** Records an acceptable hello, which ends a refusal or an absence. */
  accept(): void {
    this.#change(() => {
      this.#refusal = undefined
      this.#left = undefined
      this.#silent = false
    })
  }

  /** Why it is not ready; empty when it is. */
  get reason(): string {
    if (this.#refusal !== undefined) return this.#refusal.reason
    if (this.#left !== undefined) return this.#left
    if (!this.isConnected) return this.#lastFailure
    return this.#silent ? `not heard for ${Math.round(this.silentFor / 1000)} s` : (this.routes.bar ?? '')
  }

  /**
   * @param queue - unacknowledged vectors
   * @param channel - whether vectors to it go over a data channel
   */
  status(queue: number, channel: boolean): NeighbourStatus {
    const silentFor = this.#lastActivity === undefined ? {} : { silentFor: this.silentFor }
    const { name, state, reason } = this
    const roundTrip = this.#roundTrip === undefined ? {} : { roundTrip: this.#roundTrip }
    const bytes = this.speed.bytesPerMillisecond
    const speed = bytes === undefined ? {} : { speed: 1000 * bytes }
    return {
      name,
      state,
      reason,
      ...silentFor,
      queue,
      channel,
      ...this.routes.relay,
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
    if (after === 'ready') this.#emitReady()
    if (after === 'barred') this.#emit({ kind: 'barred', peer: this.name, reason: this.reason })
    if (after === 'connecting' && !this.isPermanent) this.#emit({ kind: 'idle', peer: this.name })
    if (after === 'silent') this.#emit({ kind: 'silent', peer: this.name, silentFor: this.silentFor })
    this.#changed.notify()
  }

  #emitReady(): void {
    const incarnation = this.#incarnation === undefined ? {} : { incarnation: this.#incarnation }
    this.#emit({ kind: 'ready', peer: this.name, ...this.routes.relay, ...incarnation })
  }
}
