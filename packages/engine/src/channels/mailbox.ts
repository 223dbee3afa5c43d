import { type Envelope, invariant, type Milliseconds, type PeerName } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import {
  agreedWeights,
  type Arrival,
  type Channel,
  type Collected,
  collected,
  type Message,
  type Mixing,
  type NextOptions,
  type PerPeer,
  type Route,
  type Shape,
  type State
} from '../record/record.js'
import { MessageBuffer, type EarlyMessages, partsPerRound, tagOf } from '../messages/message-buffer.js'
import type { Absence, MessageDelivery, EdgePolicy, EdgeTraits, Inlet } from '../edges/edge-policy.js'
import { LastTags } from '../edges/last-tags.js'
import { type MessageProblem, type Refused, unusable } from '../vectors/sizes.js'
import { noPeerLeft, queueFull, timedOut } from '../members/missing.js'
import type { ChannelTraits, Expectation, Owner } from '../messages/owner.js'
import { Plain } from '../edges/plain.js'
import { PushSum } from '../edges/push-sum.js'
import { withoutOpen } from '../edges/saved-edges.js'
import { Symmetric } from '../edges/symmetric.js'
import type { EdgeHeader } from '../messages/header.js'
import { agreedWeight } from '../messages/mixing.js'
import { Wire } from '../messages/wire.js'

const noPeers: readonly PeerName[] = []

/** A channel whose messages are collected by tag: a round and a part of it. */
export class Mailbox implements Channel<Message>, MessageDelivery, Inlet, Expectation<Collected<Message>> {
  readonly name: string
  readonly policy: EdgePolicy
  readonly #isReliable: boolean
  readonly #carriesModels: boolean
  readonly #owner: Owner
  readonly #wire: Wire
  readonly #buffer: MessageBuffer
  /** The newest tag returned of each sender; kept only where older messages may be returned. */
  readonly #returnedTags = new LastTags()
  #staleness = 0
  /** The current collection: its route and tag, and when it began, also by the clock of {@link Members.awake}. */
  #route: Route | undefined
  #tag = -1
  #start: Milliseconds = 0
  #awakeAt: Milliseconds = 0
  /** The last collected tag. */
  #closed = -1
  /** Whether both ends of an edge agree on its messages; then this peer must send before it collects. */
  readonly #hasEdges: boolean
  /** All of `#route.from` before this index have arrived, or are not awaited. */
  #arrived = 0
  /** What is being sent, and where. */
  #sending: Message | ((j: PeerName) => Message) | undefined
  #sendingTo: Route | undefined
  /** The last sent message, and its tag. */
  #mine: Message | undefined
  #mineTag = -1
  /**
   * The newest tag that was sent, and one that was collected too early; until the first message was sent before others
   * were collected.
   */
  #sentTag = -1
  #earlyTag = -1
  #isInOrder = false

  constructor(
    owner: Owner,
    { name, kind, isReliable, carriesModels = false }: ChannelTraits,
    shape: Shape,
    edges?: EdgeTraits
  ) {
    this.name = name
    this.#isReliable = isReliable
    this.#carriesModels = carriesModels
    this.#owner = owner
    this.#hasEdges = edges !== undefined
    this.#wire = new Wire(owner, kind, shape, this.#hasEdges)
    this.#buffer = new MessageBuffer(this.#wire)
    if (edges === undefined) this.policy = new Plain(owner, this)
    else if (edges.late === 'added') this.policy = new PushSum(owner, this, this.#buffer, edges.kinds)
    else this.policy = new Symmetric(owner, this, this.#buffer, edges)
  }

  send(route: Route, message: Message | ((j: PeerName) => Message)): readonly PeerName[] {
    if (!this.#isInOrder) this.#noteSent(tagOf(route))
    if (typeof message !== 'function') [this.#mine, this.#mineTag] = [message, tagOf(route)]
    this.#sending = message
    this.#sendingTo = route
    const unsent = this.policy.send(route, this)
    this.#sending = undefined
    return unsent
  }

  /** Sends the current message to one of its receivers. */
  deliver(to: PeerName, header: readonly number[]): boolean {
    const message = this.#sending
    const route = this.#sendingTo
    if (message === undefined || route === undefined) return false
    const { round, part = 0, range } = route
    const one = typeof message === 'function' ? message(to) : message
    const result = this.#wire.send(to, round, part, one, range?.offset, header)
    if (result === 'queued') return true
    if (result === 'full' && this.#isReliable) throw queueFull(this.#owner.fabric.self, to, round)
    if (result === 'unreachable') this.#owner.presence.markAbsent(to)
    this.#owner.unsent(to)
    return false
  }

  collect(route: Route, staleness = 0): Promise<Collected<Message>> {
    const { fabric, presence } = this.#owner
    const tag = tagOf(route)
    invariant(tag > this.#closed, () => `${fabric.self} collects ${this.name} of round ${route.round} again`)
    if (!this.#isInOrder) this.#checkOrder(route, tag)
    this.#staleness = staleness
    this.#route = route
    this.#tag = tag
    this.#arrived = 0
    this.#start = fabric.now()
    this.#awakeAt = presence.members.awake(this.#start)
    return this.#owner.until(this)
  }

  /** Notes what is sent until the order is known to be right. */
  #noteSent(tag: number): void {
    invariant(tag !== this.#earlyTag, () => this.#tooEarly)
    this.#sentTag = Math.max(tag, this.#sentTag)
  }

  /**
   * Every peer would wait for the others until the timeout. Where messages need not be exchanged, a peer may forward
   * what it collects; so only that nothing arrived before this peer sent shows that the order is wrong.
   */
  #checkOrder({ round, to }: Route, tag: number): void {
    if (round !== this.#owner.round || to.length === 0) return
    if (this.#sentTag >= tag) this.#isInOrder = true
    else if (this.#hasEdges) invariant(false, this.#tooEarly)
    else this.#earlyTag = tag
  }

  get #tooEarly(): string {
    return `messages of "${this.name}" are collected before this peer sends its own: if all do so, they wait for each other; send first`
  }

  /** Processes a part of a message. */
  accept(envelope: Envelope<VectorMessage>): void {
    const { fabric, rounds } = this.#owner
    const { from, message: one } = envelope
    const { round, part = 0 } = one
    if (round >= rounds) return fabric.reject(envelope, `a message of round ${round}; the last is ${rounds - 1}`)
    if (part >= partsPerRound)
      return fabric.reject(envelope, `part ${part} of a round; ${partsPerRound - 1} is the last`)
    const message = this.policy.receive(envelope, this.#isLate(from, tagOf(one)))
    if (message === undefined) return
    const arrival = { from, round, part, message }
    if (!this.#buffer.isInOrder || this.#isUsable(arrival)) this.#buffer.add(arrival, this.#wire.header)
  }

  hasRoom({ from, message: { vector } }: Envelope<VectorMessage>): boolean {
    return !this.#buffer.isFull(from, vector.length)
  }

  drop({ message }: Envelope<VectorMessage>): void {
    const { fabric, presence } = this.#owner
    presence.tooFar = message.round
    fabric.recycle(message)
  }

  isDuplicate({ from, message }: Envelope<VectorMessage>): boolean {
    const { offset = 0, vector } = message
    return this.#buffer.has(from, tagOf(message), { offset, length: vector.length })
  }

  read(envelope: Envelope<VectorMessage>, isHeard: boolean): Message | 'unusable' | undefined {
    const { from, message } = envelope
    const opened = this.#wire.open(from, tagOf(message), message)
    if (typeof opened === 'string') {
      this.#owner.fabric.reject(envelope, opened)
      return 'unusable'
    }
    if (isHeard) this.#owner.presence.heard(from)
    return opened
  }

  get header(): EdgeHeader {
    return this.#wire.header
  }

  /** Whether a message can be computed with. */
  #isUsable({ from, round, message }: Arrival<Message>): boolean {
    const problem = this.#owner.problemOf(from, message)
    if (problem === undefined || !this.#isRefused(problem)) return true
    this.#owner.refuse(from, round, problem)
    return false
  }

  /**
   * Ranges may have passed several peers, as sums of collectives and servers do; so one is refused only if it is
   * unusable.
   */
  #isRefused({ grade }: MessageProblem): boolean {
    return grade === 'unusable' || !this.#isReliable || this.#wire.carries === 'vectors'
  }

  next(awaited: () => readonly PeerName[], options: NextOptions = {}): Promise<Arrival<Message>> {
    const { round = Number.POSITIVE_INFINITY, timeouts = 1 } = options
    const { fabric, presence, timeout } = this.#owner
    const start = fabric.now()
    const take = (arrival: Arrival<Message> | undefined) => {
      this.#owner.waited(fabric.now() - start)
      return arrival ?? this.#failSilent([...new Set(awaited())], timeouts * timeout)
    }
    return this.#arrival(round, start + timeouts * timeout, take, () => presence.refusals.hasAll(awaited))
  }

  arrived({ round = Number.POSITIVE_INFINITY, within = 0 }: NextOptions = {}): Promise<Arrival<Message> | undefined> {
    return this.#arrival(round, this.#owner.fabric.now() + within, (arrival) => arrival)
  }

  reject({ from, round }: Arrival<Message>, reason: string): void {
    this.#owner.fabric.reject({ from, message: { kind: 0, round, vector: new Float32Array(0) } }, reason)
  }

  /** Waits for a message of a round up to `round`, and passes it to `take`. */
  #arrival<Outcome>(
    round: number,
    deadline: Milliseconds,
    take: (arrival: Arrival<Message> | undefined) => Outcome,
    isOver = () => false
  ): Promise<Outcome> {
    const early = this.#buffer
    if (!early.isInOrder) early.keepOrder((arrival) => this.#isUsable(arrival))
    return this.#owner.until({
      isDone: () => early.hasFirst(round) || isOver(),
      deadline: () => deadline,
      outcome: () => take(early.takeFirst(round))
    })
  }

  #failSilent(missing: readonly PeerName[], time: Milliseconds): never {
    this.#owner.missed(missing)
    throw timedOut({ self: this.#owner.fabric.self, timeout: time, channel: this.name }, missing)
  }

  /** The progress of the channel, and its early messages. */
  saved(messages: EarlyMessages): State {
    const given = this.#returnedTags.all
    // Files have the name `exchange`.
    const exchange = messages === 'with early' ? this.policy.state : withoutOpen(this.policy.state)
    return { closed: this.#closed, staleness: this.#staleness, given, early: this.#buffer.saved(messages), exchange }
  }

  restore({ closed, staleness, given, early, exchange }: State): void {
    this.#closed = closed as number
    this.#isInOrder = true
    this.#staleness = staleness as number
    for (const [peer, tag] of Object.entries(given as State)) this.#returnedTags.note(peer as PeerName, tag as number)
    this.#buffer.restore(early as State)
    this.policy.state = exchange as State
  }

  #isLate(from: PeerName, tag: number): boolean {
    if (this.#staleness === 0) return tag <= this.#closed
    return tag <= this.#closed - this.#staleness * partsPerRound || this.#returnedTags.isPast(from, tag)
  }

  /**
   * Whether all awaited messages have arrived. Late ones may have arrived too, so with debts all that is there is
   * processed first.
   */
  isDone(): boolean {
    return this.#hasAll() && this.policy.owing.length === 0
  }

  #hasAll(): boolean {
    const { from = noPeers } = this.#route ?? {}
    while (this.#arrived < from.length && this.#has(from[this.#arrived])) this.#arrived++
    return this.#arrived === from.length
  }

  /** Until when to wait for the next message; now, if no peer is waited for. */
  deadline(): Milliseconds {
    const { presence, timeout, fabric } = this.#owner
    const { from = noPeers } = this.#route ?? {}
    const has = (j: PeerName) => this.#has(j)
    if (!presence.isAnyPresent(from, { has }) || (this.policy.owing.length > 0 && this.#hasAll())) return fabric.now()
    const isSilent = this.#arrived === 0 && !from.some(has)
    return presence.members.waits.untilReceived(this, this.#awakeAt, timeout, fabric.now(), isSilent)
  }

  /** Whether nothing more of a sender will arrive under the current tag. */
  #has(j: PeerName): boolean {
    return this.#buffer.find(this.#tag, j, this.#route?.range) !== undefined || !this.policy.isAwaited(j)
  }

  /** The peers that this one waits for. */
  awaited(): readonly PeerName[] {
    const { presence } = this.#owner
    return (this.#route?.from ?? noPeers).filter((j) => !this.#has(j) && presence.isAwaited(j))
  }

  /** The collected messages. */
  outcome(): Collected<Message> | Promise<Collected<Message>> {
    const owner = this.#owner
    const route = this.#route
    invariant(route !== undefined, 'nothing is collected')
    owner.waited(owner.fabric.now() - this.#start)
    const theirs = this.#take(this.#tag, route)
    const mine = this.#mineTag === this.#tag ? this.#mine : undefined
    this.#mine = undefined
    // An exchange that takes several rounds has models of its first one.
    const areModels = this.#carriesModels && route.round === owner.round
    const refused =
      this.#wire.carries === 'samples' ? notFinite(theirs) : owner.collected(route, mine, theirs, areModels)
    if (refused instanceof Promise) return refused.then((found) => this.#without(found, route, theirs))
    return this.#without(refused, route, theirs)
  }

  /**
   * The collected messages without those that cannot be computed with. Such a message is caused by a liar, so that it
   * does not matter that its sender may use this peer's message of the same edge.
   */
  #without(found: readonly Refused[], { round, from }: Route, theirs: Collected<Message>): Collected<Message> {
    if (found.length === 0) return theirs
    const refused = found.filter((problem) => this.#isRefused(problem))
    if (refused.length === 0) return theirs
    for (const problem of refused) this.#owner.refuse(problem.from, round, problem)
    if (this.#isReliable) throw unusable(this.#owner.fabric.self, refused, round)
    const used = collected<Message>(agreedWeights(theirs))
    const isUsed = (name: PeerName) => !refused.some((each) => each.from === name)
    for (const j of from) {
      const message = theirs[j]
      if (message !== undefined && isUsed(j)) used[j] = message
    }
    return used
  }

  /** The newest message of each sender, of this tag or as old as allowed. Older ones are released. */
  #take(tag: number, route: Route): Collected<Message> {
    const theirs = collected<Message>(this.#agreedWeights(tag, route))
    const isFirst = Math.floor(this.#closed / partsPerRound) !== route.round
    this.#closed = tag
    let lacking = noPeers
    for (const j of route.from) {
      const message = this.#buffer.find(tag, j, route.range) ?? this.#older(j, tag)
      if (message === undefined) lacking = [...lacking, j]
      else theirs[j] = message
    }
    if (this.#earlyTag === tag && lacking.length < route.from.length) this.#isInOrder = true
    const absences = this.policy.close(lacking, this.#mine, this.#start)
    this.#buffer.release(tag, isFirst || this.#staleness > 0, (from, other, message) => {
      if (theirs[from] === message) {
        if (this.#staleness > 0) this.#returnedTags.note(from, other)
      } else if (this.policy.step({ kind: 'uncollected', from, tag: other, message })) return
      else if (other === tag || !route.from.includes(from)) this.#unexpected(from, Math.floor(other / partsPerRound))
    })
    this.#account(route, lacking, absences)
    return theirs
  }

  /** Notes who is missing, and why. */
  #account(route: Route, lacking: readonly PeerName[], absences: readonly Absence[]): void {
    const { presence, timeout, fabric } = this.#owner
    let skipped = noPeers
    let silent = noPeers
    for (let index = 0; index < lacking.length; index++) {
      if (absences[index] === 'skipped') skipped = [...skipped, lacking[index]]
      if (absences[index] === 'silent') silent = [...silent, lacking[index]]
    }
    presence.members.waits.ended(route, { without: lacking, skipped }, this.#awakeAt, timeout, fabric.now())
    presence.note(route, silent)
    this.#note(route, skipped.length === 0 ? lacking : lacking.filter((j) => !skipped.includes(j)))
  }

  /** The weights on which both ends of edges have agreed, where the message of a tag names an offer. */
  #agreedWeights(tag: number, route: Route): ReadonlyMap<string, number> | undefined {
    if (!this.#buffer.hasHeaders(tag) || !isMixing(route)) return undefined
    const weights = route.from.map((j) => {
      const { offer } = this.#buffer.headerOf(tag, j, route.range)
      return [j, agreedWeight(route, j, offer)] as const
    })
    return new Map(weights)
  }

  #older(j: PeerName, tag: number): Message | undefined {
    if (this.#staleness === 0) return undefined
    const first = Math.max(this.#returnedTags.last(j) + 1, tag - this.#staleness * partsPerRound)
    return this.#buffer.newest(j, first, tag)
  }

  #unexpected(from: PeerName, round: number): void {
    this.reject({ from, round, part: 0, message: {} }, `parameters of round ${round} are unexpected`)
  }

  #note({ from, round }: Route, missing: readonly PeerName[]): void {
    const { presence, fabric } = this.#owner
    if (missing.length === 0) return
    this.#owner.missed(missing)
    if (presence.members.mayReturn) return
    // Where nothing at all has arrived, the wait was twice the timeout.
    const timeout = Math.round(fabric.now() - this.#start)
    if (this.#isReliable) throw timedOut({ self: fabric.self, timeout, channel: this.name }, missing, round)
    if (missing.length < from.length || presence.isAnyLeft) return
    invariant(this.#earlyTag !== this.#closed, () => this.#tooEarly)
    throw noPeerLeft(fabric.self, missing, round, presence.tooFar)
  }
}

/** Whether it is a row of W, as it always is where edges are agreed on. */
function isMixing(route: Route): route is Mixing {
  return 'row' in route
}

/** The messages of a round with a number that is NaN or infinite. */
function notFinite(theirs: PerPeer<Message>): readonly Refused[] {
  const reason = 'NaN or infinite numbers, which cannot be computed with'
  return Object.entries(theirs).flatMap(([from, message]): Refused[] => {
    const isFinite = Object.values(message ?? {}).every((value) => typeof value === 'number' || allFinite(value.values))
    return isFinite ? [] : [{ from: from as PeerName, reason, grade: 'unusable' }]
  })
}
