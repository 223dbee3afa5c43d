import { type Envelope, invariant, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { vectorsAhead } from '../ahead.js'
import { type Channel, type Message, type PerPeer, perPeer, type Route, type Shape, type State } from '../record.js'
import { type ChannelTraits, type Expectation, messagesAhead, type Owner } from './owner.js'
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
  readonly #vectorsAhead: number
  /** What has come and was not collected, by tag. */
  readonly #slots = new Map<number, Slot>()
  /** Slots that are empty, to be used again. */
  readonly #idle: Slot[] = []
  /** The newest tag of each sender that was given out; kept only where older messages may be. */
  readonly #given = new Map<PeerName, number>()
  #staleness = 0
  /** What is collected now: under which tag, of whom, and since when. */
  #tag = -1
  #from = nobody
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
    this.#vectorsAhead = Math.min(messagesAhead, vectorsAhead(this.#wire.size))
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
    if (!this.#isComplete(tag, route.from)) {
      this.#start = owner.fabric.now()
      this.#tag = tag
      this.#from = route.from
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
    if (this.#isFull(from)) {
      presence.tooFar = round
      return fabric.recycle(message)
    }
    const slot = this.#slots.get(tag)
    if (slot?.has(from)) return fabric.reject(envelope, `parameters of round ${round} are duplicate`)
    const opened = this.#wire.open(from, tag, message)
    if (typeof opened === 'string') return fabric.reject(envelope, opened)
    presence.heard(from)
    if (opened === undefined) return
    this.#wire.pin(opened, 1)
    const place = slot ?? this.#newSlot(tag)
    place.set(from, opened)
  }

  /** What has come early, by tag and sender, and how far the channel is. */
  get state(): State {
    const early: Record<string, State> = {}
    for (const [tag, slot] of this.#slots) early[tag] = Object.fromEntries(slot)
    return { closed: this.#closed, staleness: this.#staleness, given: Object.fromEntries(this.#given), early }
  }

  restore({ closed, staleness, given, early }: State): void {
    this.#closed = closed as number
    this.#staleness = staleness as number
    for (const [peer, tag] of Object.entries(given)) this.#given.set(peer as PeerName, tag as number)
    for (const [tag, messages] of Object.entries(early)) {
      const slot = new Map(Object.entries(messages as PerPeer<Message>)) as Slot
      this.#slots.set(Number(tag), slot)
      for (const message of slot.values()) this.#wire.pin(message, 1)
    }
  }

  #newSlot(tag: number): Slot {
    const slot = this.#idle.pop() ?? new Map<PeerName, Message>()
    this.#slots.set(tag, slot)
    return slot
  }

  /** Whether as much of a sender waits as may. */
  #isFull(from: PeerName): boolean {
    if (this.#slots.size < this.#vectorsAhead) return false
    let waiting = 0
    for (const slot of this.#slots.values()) if (slot.has(from)) waiting++
    return waiting >= this.#vectorsAhead
  }

  #isLate(from: PeerName, tag: number): boolean {
    if (this.#staleness === 0) return tag <= this.#closed
    return tag <= this.#closed - this.#staleness * partsPerRound || tag <= (this.#given.get(from) ?? -1)
  }

  /** Whether all that is waited for has come. */
  isDone(): boolean {
    return this.#isComplete(this.#tag, this.#from)
  }

  /** Until when to wait for the next message: not at all, when nobody is waited for any more. */
  deadline(): Milliseconds {
    const { presence, timeout, fabric } = this.#owner
    const slot = this.#slots.get(this.#tag)
    if (!presence.isAnyPresent(this.#from, slot)) return fabric.now()
    // When nothing has come, the senders may wait themselves for one that is lost, until their timeout.
    const isAlone = slot === undefined || !this.#from.some((j) => slot.has(j))
    return this.#start + (isAlone ? 2 : 1) * timeout
  }

  #isComplete(tag: number, from: readonly PeerName[]): boolean {
    const slot = this.#slots.get(tag)
    if (slot === undefined) return from.length === 0
    for (const j of from) if (!slot.has(j)) return false
    return true
  }

  /** The newest message of each, of this tag or as much older as may be. What is older still is let go. */
  #take(tag: number, route: Route): PerPeer<Message> {
    const theirs = perPeer<Message>()
    const slot = this.#slots.get(tag)
    this.#closed = tag
    let missing: readonly PeerName[] = nobody
    for (const j of route.from) {
      const message = slot?.get(j) ?? (this.#staleness > 0 ? this.#older(j, tag) : undefined)
      if (message === undefined) missing = [...missing, j]
      else theirs[j] = message
    }
    for (const other of this.#slots.keys()) if (other <= tag) this.#letGo(other, route.from)
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

  /** Hands what waits under a tag to the round under way. */
  #letGo(tag: number, expected: readonly PeerName[]): void {
    const slot = this.#slots.get(tag) as Slot
    this.#slots.delete(tag)
    slot.forEach((message, from) => {
      this.#wire.adopt(message)
      if (this.#staleness > 0) this.#given.set(from, Math.max(tag, this.#given.get(from) ?? -1))
      if (!expected.includes(from)) this.#unexpected(from, tag)
    })
    slot.clear()
    this.#idle.push(slot)
  }

  #unexpected(from: PeerName, tag: number): void {
    const round = Math.floor(tag / partsPerRound)
    const message = { kind: 0, round, vector: new Float32Array(0) }
    this.#owner.fabric.reject({ from, message }, `parameters of round ${round} are unexpected`)
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

/** Where a message belongs among those of its channel; they are collected in this order. */
function tagOf({ round, part = 0 }: { readonly round: number; readonly part?: number }): number {
  return round * partsPerRound + part
}
