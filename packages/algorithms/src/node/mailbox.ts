import { type Envelope, invariant, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { vectorsAhead } from '../ahead.js'
import {
  type Arrival,
  type Channel,
  type Message,
  messageOf,
  type NextOptions,
  type PerPeer,
  perPeer,
  type Route,
  type Shape,
  type State
} from '../record.js'
import type { ChannelTraits, Expectation, Owner } from './owner.js'
import type { Vector } from './vector.js'
import { Wire } from './wire.js'

/** How many parts a round may have. */
export const partsPerRound = 65_536

type Slot = Map<PeerName, Message>

const nobody: readonly PeerName[] = []

/** A channel of messages that are collected by tag: by round, and part of it. */
export class Mailbox implements Channel<Message>, Expectation {
  readonly name: string
  readonly #isReliable: boolean
  readonly #owner: Owner
  readonly #wire: Wire
  /** How much of one sender waits here at most, as {@link sizeOf} counts it. */
  readonly #sizeAhead: number
  /** What has come and was not collected, by tag. */
  readonly #slots = new Map<number, Slot>()
  /** Slots that are empty, to be used again. */
  readonly #idle: Slot[] = []
  /** What has come of a sender and tag that something else of other range has come of: wrong ones are not in the place of a right one. */
  #others: Arrival<Message>[] = []
  /** What has come, in that order, where it is taken so. */
  #queue: Arrival<Message>[] | undefined
  /** How much of all senders waits here. */
  #waiting = 0
  /** The newest tag of each sender that was given out; kept only where older messages may be. */
  readonly #given = new Map<PeerName, number>()
  #staleness = 0
  /** What is collected now: under which tag, of whom, and since when. */
  #tag = -1
  #route: Route | undefined
  #start: Milliseconds = 0
  /** The last tag that was collected. */
  #closed = -1
  /** What was sent under the last tag. */
  #mine: { readonly tag: number; readonly message: Message } | undefined

  constructor(owner: Owner, { name, kind, isReliable }: ChannelTraits, shape: Shape) {
    this.name = name
    this.#isReliable = isReliable
    this.#owner = owner
    this.#wire = new Wire(owner, kind, shape)
    this.#sizeAhead = vectorsAhead(this.#wire.size + overhead) * (this.#wire.size + overhead)
  }

  send(route: Route, message: Message | ((j: PeerName) => Message)): readonly PeerName[] {
    const { presence } = this.#owner
    const { round, part = 0, range } = route
    if (typeof message !== 'function') this.#mine = { tag: tagOf(route), message }
    let unsent = nobody
    for (const to of route.to) {
      const theirs = typeof message === 'function' ? message(to) : message
      const result = this.#wire.send(to, round, part, theirs, range?.offset)
      if (result === 'queued') continue
      if (result === 'full' && this.#isReliable) throw this.#full(to, round)
      if (result === 'unreachable') presence.lose(to)
      this.#owner.unsent(to)
      unsent = [...unsent, to]
    }
    return unsent
  }

  async collect(route: Route, staleness = 0): Promise<PerPeer<Message>> {
    const owner = this.#owner
    const tag = tagOf(route)
    invariant(tag > this.#closed, () => `${owner.fabric.self} collects ${this.name} of round ${route.round} again`)
    this.#staleness = staleness
    if (!this.#isComplete(tag, route)) {
      this.#start = owner.fabric.now()
      this.#tag = tag
      this.#route = route
      await owner.until(this)
      owner.waited(owner.fabric.now() - this.#start)
    }
    const theirs = this.#take(tag, route)
    const mine = this.#mine?.tag === tag ? this.#mine.message : undefined
    const noted = owner.collected(route, mine, theirs)
    if (noted !== undefined) await noted
    this.#mine = undefined
    return theirs
  }

  /** Takes in a part of a message. */
  accept(envelope: Envelope<VectorMessage>): void {
    const { fabric, presence, rounds } = this.#owner
    const { from, message } = envelope
    const { round, part = 0 } = message
    const tag = tagOf(message)
    if (round >= rounds) return fabric.reject(envelope, `a message of round ${round}; the last is ${rounds - 1}`)
    if (part >= partsPerRound)
      return fabric.reject(envelope, `part ${part} of a round; ${partsPerRound - 1} is the last`)
    if (this.#isLate(from, tag)) return fabric.recycle(message)
    if (this.#isFull(from, message.vector.length)) {
      presence.tooFar = round
      return fabric.recycle(message)
    }
    const slot = this.#queue === undefined ? this.#slots.get(tag) : undefined
    const known = slot?.get(from)
    if (known !== undefined && this.#isRange(known, message.offset ?? 0, message.vector.length)) {
      return fabric.reject(envelope, `parameters of round ${round} are duplicate`)
    }
    const opened = this.#wire.open(from, tag, message)
    if (typeof opened === 'string') return fabric.reject(envelope, opened)
    presence.heard(from)
    if (opened === undefined) return
    this.#wire.pin(opened, 1)
    this.#waiting += sizeOf(opened)
    if (this.#queue !== undefined) this.#queue.push({ from, round, part, message: opened })
    else if (known !== undefined) this.#others.push({ from, round, part, message: opened })
    else (slot ?? this.#newSlot(tag)).set(from, opened)
  }

  async next(awaited: () => readonly PeerName[], options: NextOptions = {}): Promise<Arrival<Message>> {
    const { round = Number.POSITIVE_INFINITY, timeouts = 1 } = options
    const { fabric, timeout } = this.#owner
    const start = fabric.now()
    const time = timeouts * timeout
    const first = (await this.#first(round, start + time)) ?? this.#silent(awaited(), time)
    this.#owner.waited(fabric.now() - start)
    return first
  }

  arrived(): Promise<Arrival<Message> | undefined> {
    return this.#first(Number.POSITIVE_INFINITY, this.#owner.fabric.now())
  }

  reject({ from, round }: Arrival<Message>, reason: string): void {
    this.#owner.fabric.reject({ from, message: { kind: 0, round, vector: new Float32Array(0) } }, reason)
  }

  async #first(round: number, deadline: Milliseconds): Promise<Arrival<Message> | undefined> {
    const queue = (this.#queue ??= [])
    const find = () => queue.findIndex((arrival) => arrival.round <= round)
    if (find() < 0) {
      await this.#owner.until({ isDone: () => find() >= 0, deadline: () => deadline })
    }
    const place = find()
    if (place < 0) return undefined
    const [first] = queue.splice(place, 1)
    this.#release(first.message)
    return first
  }

  #silent(missing: readonly PeerName[], time: Milliseconds): never {
    const { fabric } = this.#owner
    this.#owner.missed(missing)
    const text = `${fabric.self} waited ${time} ms for the ${this.name} of ${missing.join(', ')}: nothing came`
    throw new NeighboursMissingError(missing, text)
  }

  /** What has come early, and how far the channel is. */
  get state(): State {
    const early: Record<string, State> = {}
    for (const [tag, slot] of this.#slots) early[tag] = Object.fromEntries(slot)
    const queue: Record<string, State> = {}
    for (const [place, { from, round, part, message }] of (this.#queue ?? this.#others).entries()) {
      queue[place] = { round, part, message: { [from]: message } }
    }
    const given = Object.fromEntries(this.#given)
    return { closed: this.#closed, staleness: this.#staleness, given, early, isQueue: this.#queue ? 1 : 0, queue }
  }

  restore({ closed, staleness, given, early, isQueue, queue }: State): void {
    this.#closed = closed as number
    this.#staleness = staleness as number
    for (const [peer, tag] of Object.entries(given)) this.#given.set(peer as PeerName, tag as number)
    for (const [tag, messages] of Object.entries(early)) {
      const slot = this.#newSlot(Number(tag))
      for (const [from, message] of entriesOf(messages)) {
        this.#restoreOne(message)
        slot.set(from, message)
      }
    }
    if (isQueue === 1) this.#queue = []
    const arrivals = this.#queue ?? this.#others
    for (const one of Object.values(queue)) {
      const { round, part, message: only } = one as { round: number; part: number; message: State }
      for (const [from, message] of entriesOf(only)) {
        this.#restoreOne(message)
        arrivals.push({ from, round, part, message })
      }
    }
  }

  #restoreOne(message: Message): void {
    this.#wire.pin(message, 1)
    this.#waiting += sizeOf(message)
  }

  #newSlot(tag: number): Slot {
    const slot = this.#idle.pop() ?? new Map<PeerName, Message>()
    this.#slots.set(tag, slot)
    return slot
  }

  /** Whether a sender has so much waiting here that another message is dropped. */
  #isFull(from: PeerName, length: number): boolean {
    const size = length + overhead
    if (this.#waiting + size <= this.#sizeAhead) return false
    let waiting = 0
    for (const slot of this.#slots.values()) waiting += sizeOf(slot.get(from))
    for (const other of this.#queue ?? this.#others) if (other.from === from) waiting += sizeOf(other.message)
    return waiting > 0 && waiting + size > this.#sizeAhead
  }

  #isLate(from: PeerName, tag: number): boolean {
    if (this.#staleness === 0) return tag <= this.#closed
    return tag <= this.#closed - this.#staleness * partsPerRound || tag <= (this.#given.get(from) ?? -1)
  }

  /** Whether a message is of this range; any is where no ranges are carried. */
  #isRange(message: Message, offset: number, length: number): boolean {
    if (!this.#wire.isOfRanges) return true
    const vector = message[this.#wire.firstVector] as Vector
    return vector.offset === offset && vector.length === length
  }

  /** What of a sender has come that a route expects. */
  #find(slot: Slot | undefined, route: Route, j: PeerName): Message | undefined {
    const message = slot?.get(j)
    const { offset, length } = route.range ?? everything
    if (message === undefined || this.#isRange(message, offset, length)) return message
    const tag = tagOf(route)
    const isSought = (other: Arrival<Message>) =>
      other.from === j && tagOf(other) === tag && this.#isRange(other.message, offset, length)
    return this.#others.find(isSought)?.message
  }

  /** Whether all that is waited for has come. */
  isDone(): boolean {
    return this.#route === undefined || this.#isComplete(this.#tag, this.#route)
  }

  /** Until when to wait for the next message: not at all, when nobody is waited for any more. */
  deadline(): Milliseconds {
    const { presence, timeout, fabric } = this.#owner
    const slot = this.#slots.get(this.#tag)
    const has = (j: PeerName) => this.#route !== undefined && this.#find(slot, this.#route, j) !== undefined
    const from = this.#route?.from ?? nobody
    if (!presence.isAnyPresent(from, { has })) return fabric.now()
    // When nothing has come, the senders may wait themselves for one that is lost, until their timeout.
    return this.#start + (from.some(has) ? 1 : 2) * timeout
  }

  #isComplete(tag: number, route: Route): boolean {
    const slot = this.#slots.get(tag)
    if (slot === undefined) return route.from.length === 0
    for (const j of route.from) if (this.#find(slot, route, j) === undefined) return false
    return true
  }

  /** The newest message of each, of this tag or as much older as may be. What is older still is let go. */
  #take(tag: number, route: Route): PerPeer<Message> {
    const theirs = perPeer<Message>()
    const slot = this.#slots.get(tag)
    const before = this.#closed
    this.#closed = tag
    let missing: readonly PeerName[] = nobody
    for (const j of route.from) {
      const message = this.#find(slot, route, j) ?? (this.#staleness > 0 ? this.#older(j, tag) : undefined)
      if (message === undefined) missing = [...missing, j]
      else theirs[j] = message
    }
    this.#letGo(tag, route, theirs, before)
    this.#note(route, missing)
    return theirs
  }

  #older(j: PeerName, tag: number): Message | undefined {
    const given = this.#given.get(j) ?? -1
    const tags = [...this.#slots.keys()].filter(
      (other) => other < tag && other > given && this.#slots.get(other)?.has(j)
    )
    const newest = Math.max(...tags)
    if (tags.length === 0 || newest < tag - this.#staleness * partsPerRound) return undefined
    return this.#slots.get(newest)?.get(j)
  }

  /** Hands what waits up to `tag` to the round under way. What is of earlier tags is looked for once a round. */
  #letGo(tag: number, route: Route, theirs: PerPeer<Message>, before: number): void {
    const slot = this.#slots.get(tag)
    if (slot !== undefined) this.#letGoSlot(tag, slot, (from, message) => messageOf(theirs, from) === message)
    const isNewRound = Math.floor(before / partsPerRound) !== route.round
    if (this.#slots.size > 0 && (isNewRound || this.#staleness > 0)) {
      for (const [other, older] of this.#slots) {
        if (other < tag) this.#letGoSlot(other, older, (from) => route.from.includes(from))
      }
    }
    if (this.#others.length > 0) this.#letGoOthers(theirs)
  }

  #letGoSlot(tag: number, slot: Slot, isExpected: (from: PeerName, message: Message) => boolean): void {
    this.#slots.delete(tag)
    slot.forEach((message, from) => {
      this.#release(message)
      if (this.#staleness > 0) this.#given.set(from, Math.max(tag, this.#given.get(from) ?? -1))
      if (!isExpected(from, message)) this.#unexpected(from, tag)
    })
    slot.clear()
    this.#idle.push(slot)
  }

  #letGoOthers(theirs: PerPeer<Message>): void {
    const isOver = (other: Arrival<Message>) => tagOf(other) <= this.#closed
    for (const other of this.#others.filter(isOver)) {
      this.#release(other.message)
      if (messageOf(theirs, other.from) !== other.message) this.#unexpected(other.from, tagOf(other))
    }
    this.#others = this.#others.filter((other) => !isOver(other))
  }

  /** Hands a message to the round under way. */
  #release(message: Message): void {
    this.#wire.adopt(message)
    this.#waiting -= sizeOf(message)
  }

  #unexpected(from: PeerName, tag: number): void {
    const round = Math.floor(tag / partsPerRound)
    this.reject({ from, round, part: 0, message: {} }, `parameters of round ${round} are unexpected`)
  }

  #note({ from, round }: Route, missing: readonly PeerName[]): void {
    const { presence, fabric, timeout } = this.#owner
    presence.note(from, missing)
    if (missing.length === 0) return
    this.#owner.missed(missing)
    const who = missing.join(', ')
    if (this.#isReliable) {
      const text = `${fabric.self} waited ${timeout} ms for the ${this.name} of ${who} in round ${round}: nothing came`
      throw new NeighboursMissingError(missing, text)
    }
    if (missing.length < from.length || presence.isAnyLeft) return
    const behind =
      presence.tooFar === undefined
        ? ''
        : `; others are in round ${presence.tooFar}, and a peer that was started anew or stalled cannot catch up`
    const text = `${fabric.self} heard nothing of ${who} in round ${round}, nor has it another neighbour left; it does not train alone${behind}`
    throw new NeighboursMissingError(missing, text)
  }

  #full(to: PeerName, round: number): NeighboursMissingError {
    const { self } = this.#owner.fabric
    return new NeighboursMissingError([to], `${self} cannot send to ${to} in round ${round}: the queue to it is full`)
  }
}

/** What a message takes beside its numbers, as if it were numbers. */
const overhead = 256

/** How many numbers a message counts for. */
function sizeOf(message: Message | undefined): number {
  let size = message === undefined ? 0 : overhead
  for (const field in message) {
    const value = message[field]
    if (typeof value !== 'number') size += value.length
  }
  return size
}

const everything = { offset: 0, length: 0 }

function entriesOf(messages: State | State[string]): [PeerName, Message][] {
  return Object.entries(messages) as [PeerName, Message][]
}

/** Where a message belongs among those of its channel; they are collected in this order. */
function tagOf({ round, part = 0 }: { readonly round: number; readonly part?: number }): number {
  return round * partsPerRound + part
}
