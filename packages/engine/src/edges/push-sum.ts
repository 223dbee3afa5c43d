import { byName, type Envelope, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { headerNumbers, noNumbers, usualHeader } from '../messages/header.js'
import { type MessageBuffer, partsPerRound, tagOf } from '../messages/message-buffer.js'
import type { Owner } from '../messages/owner.js'
import type { Flow, Message, Mixing, Route, State } from '../record/record.js'
import { isVector } from '../vectors/vector.js'
import { sendControl } from './controls.js'
import {
  type Absence,
  type ControlKinds,
  type MessageDelivery,
  type EdgeEvent,
  type EdgePolicy,
  type Inlet,
  noFlows,
  noneAbsent,
  noneOwed
} from './edge-policy.js'
import { LastTags } from './last-tags.js'

const empty = new Float32Array(0)
const noPeers: readonly PeerName[] = []

/**
 * Push-sum: messages carry mass that leaves the sender for good. Every message is used, in its round or as soon as
 * it arrives. Nothing is owed and nothing is taken back. SKIP tells a receiver that nothing will arrive: the topology's
 * receivers, when a row leaves them out; and a sender along an edge that this peer does not have. A peer that is left
 * out sends nothing back, and says so with WITHDRAW; otherwise its mass would all go to peers that send it none.
 */
export class PushSum implements EdgePolicy {
  readonly owing = noneOwed
  readonly #owner: Owner
  readonly #inlet: Inlet
  readonly #buffer: MessageBuffer
  readonly #kinds: ControlKinds
  readonly #lastTags = new LastTags()
  #route: Route | undefined
  #isOpen = false
  #isPaused = false
  /** The peers that leave this one out, and since which tag. */
  readonly #leftOutBy = new Map<PeerName, number>()
  readonly #lives = new Map<PeerName, number>()
  #life = 1
  /** The last tag of each sender, in its present life: tags only grow. */
  readonly #newestTags = new Map<PeerName, number>()
  /** Messages that belong to no round still to be collected, summed by sender. */
  #sums = new Map<PeerName, { readonly sum: Message; readonly tag: number }>()

  constructor(owner: Owner, inlet: Inlet, buffer: MessageBuffer, kinds: ControlKinds) {
    this.#owner = owner
    this.#inlet = inlet
    this.#buffer = buffer
    this.#kinds = kinds
  }

  get #currentTag(): number {
    return this.#route === undefined ? -1 : tagOf(this.#route)
  }

  send(route: Route, delivery: MessageDelivery): readonly PeerName[] {
    this.#route = route
    this.#isOpen = true
    let unsent = noPeers
    for (const to of route.to) if (!this.#sendTo(to, route, delivery)) unsent = [...unsent, to]
    this.#endSending()
    return unsent
  }

  #sendTo(to: PeerName, route: Route, delivery: MessageDelivery): boolean {
    if (this.#isLeftOut(to)) {
      this.#sendControl('withdraw', to, this.#currentTag)
      this.#owner.unsent(to)
      return false
    }
    const { offer } = route as Partial<Mixing>
    const life = this.#life
    const isUsual = offer === undefined && life === 1
    return delivery.deliver(to, isUsual ? noNumbers : headerNumbers({ offer, life, toLife: 1 }))
  }

  /** Sends SKIP to peers that get no message. */
  #endSending(): void {
    const { to, offer, filedTo = noPeers } = this.#route as Mixing
    if (offer !== undefined) for (const peer of filedTo) if (!to.includes(peer)) this.#skip(peer, this.#currentTag)
    for (const { tag, from } of this.#buffer.upTo(this.#currentTag))
      this.#answer(from, tag, this.#buffer.headerOf(tag, from))
  }

  isAwaited(from: PeerName): boolean {
    return !this.#lastTags.isPast(from, this.#currentTag)
  }

  receive(envelope: Envelope<VectorMessage>): Message | undefined {
    const { from, message: part } = envelope
    const tag = tagOf(part)
    const hasRoom = tag <= this.#currentTag || this.#inlet.hasRoom(envelope)
    const isNew = !this.#inlet.isDuplicate(envelope)
    const message = this.#inlet.read(envelope, true)
    if (message === undefined || message === 'unusable') return undefined
    return this.#take(from, tag, message, hasRoom && isNew) ? message : undefined
  }

  /** A message has arrived. Returns whether to keep it for its tag. */
  #take(from: PeerName, tag: number, message: Message, hasRoom: boolean): boolean {
    const { header } = this.#inlet
    this.#newLife(from, header.life)
    if (tag <= (this.#newestTags.get(from) ?? -1)) return this.#reject(from, tag)
    this.#newestTags.set(from, tag)
    this.#lastTags.note(from, tag)
    if (this.#isPaused) this.#skip(from, tag)
    else if (tag <= this.#currentTag) this.#answer(from, tag, header)
    this.#noteIncluded(from, tag)
    const isExpected =
      tag > this.#currentTag || (tag === this.#currentTag && this.#isOpen && this.#route?.from.includes(from))
    if (hasRoom && isExpected === true) return true
    this.#enter(from, tag, message)
    return false
  }

  /** A message that no round has collected: it enters between two rounds. */
  #enter(from: PeerName, tag: number, message: Message): void {
    const problem = this.#owner.problemOf(from, message)
    if (problem === undefined) this.#keep(from, tag, message)
    else this.#owner.refuse(from, Math.floor(tag / partsPerRound), problem)
  }

  #keep(from: PeerName, tag: number, message: Message): void {
    const previous = this.#sums.get(from)
    if (previous === undefined) this.#owner.arena.pin(message, 1)
    this.#sums.set(from, { sum: previous === undefined ? message : added(previous.sum, message), tag })
  }

  close(lacking: readonly PeerName[]): readonly Absence[] {
    this.#isOpen = false
    return lacking.length === 0 ? noneAbsent : lacking.map((from) => (this.isAwaited(from) ? 'silent' : 'unsent'))
  }

  step(event: EdgeEvent): boolean {
    switch (event.kind) {
      case 'skip':
        this.#skipped(event.from, event.tag)
        return true
      case 'withdraw':
        this.#withdrawn(event.from, event.tag)
        return true
      case 'uncollected':
        this.#enter(event.from, event.tag, event.message)
        return true
      case 'life':
        if (event.peer === this.#owner.fabric.self) this.#life = event.life
        else this.#newLife(event.peer, event.life)
        return true
      case 'pause':
      case 'resume':
        this.#isPaused = event.kind === 'pause'
        return true
      case 'leave':
        this.#drain()
        return true
      default:
        return false
    }
  }

  /** No more rounds are collected: everything that has arrived or arrives enters the state. */
  #drain(): void {
    const { rounds: round, fabric } = this.#owner
    this.#route = { peer: fabric.self, round, to: noPeers, from: noPeers }
    this.#isOpen = false
    this.#buffer.release(tagOf({ round }), true, (from, tag, message) => this.#enter(from, tag, message))
  }

  #skipped(from: PeerName, tag: number): void {
    if (tag >= (this.#leftOutBy.get(from) ?? 0)) this.#leftOutBy.set(from, tag)
    this.#lastTags.note(from, tag)
  }

  /** The sender sends nothing because it is sent nothing. */
  #withdrawn(from: PeerName, tag: number): void {
    this.#noteIncluded(from, tag)
    this.#answer(from, tag)
    this.#lastTags.note(from, tag)
  }

  /** Late mass, by name. Its vectors belong to the current round from now on. */
  takeFlows(): readonly Flow<Message>[] {
    if (this.#sums.size === 0) return noFlows
    const sums = [...this.#sums].sort(([left], [right]) => byName(left, right))
    this.#sums = new Map()
    return sums.map(([from, { sum, tag }]) => {
      this.#owner.arena.pin(sum, -1)
      return { from, round: Math.floor(tag / partsPerRound), weight: 1, mine: {}, theirs: sum }
    })
  }

  /** What a peer sent in an earlier life, or to one, is used like any other message. */
  #newLife(peer: PeerName, life: number): void {
    const knownLife = this.#lives.get(peer) ?? 1
    if (life <= knownLife) return
    this.#lives.set(peer, life)
    this.#leftOutBy.delete(peer)
    this.#newestTags.delete(peer)
    this.#lastTags.forget(peer)
    if (this.#isOpen) this.#lastTags.note(peer, this.#currentTag)
  }

  get state(): State {
    const sums = [...this.#sums].map(([from, { sum, tag }]) => [from, { tag, sum }] as const)
    return { begun: this.#currentTag, sums: Object.fromEntries(sums) }
  }

  set state({ sums }: State) {
    for (const [from, { tag, sum }] of Object.entries(sums as Readonly<Record<string, State>>))
      this.#keep(from as PeerName, tag as number, sum as Message)
  }

  /**
   * A peer that sends along an edge that is not in the topology, or from a repaired row, may wait for this peer too.
   */
  #answer(from: PeerName, tag: number, header = usualHeader): void {
    const { to = noPeers, filedFrom = [from] } = (this.#route ?? {}) as Partial<Mixing>
    if (filedFrom.includes(from) && header.offer === undefined) return
    if (tag !== this.#currentTag || !to.includes(from)) this.#skip(from, tag)
  }

  /** Whether a peer, or all that should, send nothing to this one in this round. */
  #isLeftOut(to: PeerName): boolean {
    const { from, offer } = this.#route as Mixing
    if (from.includes(to)) return this.#hasNothing(to)
    // In a graph that changes by round, a single round may have no senders.
    return from.length === 0 ? offer !== undefined : from.every((peer) => this.#hasNothing(peer))
  }

  /**
   * Whether nothing of a sender will arrive in this round: it leaves this peer out, or has passed the tag without a
   * message.
   */
  #hasNothing(from: PeerName): boolean {
    if (this.#leftOutBy.has(from)) return true
    return this.#lastTags.isPast(from, this.#currentTag) && this.#buffer.find(this.#currentTag, from) === undefined
  }

  /** A peer has this one in its row of a tag. */
  #noteIncluded(peer: PeerName, tag: number): void {
    if (tag > (this.#leftOutBy.get(peer) ?? tag)) this.#leftOutBy.delete(peer)
  }

  /** No message is used twice. */
  #reject(from: PeerName, tag: number): false {
    const round = Math.floor(tag / partsPerRound)
    const message = { kind: 0, round, vector: empty }
    this.#owner.fabric.reject({ from, message }, `parameters of round ${round} are duplicate`)
    return false
  }

  #skip(to: PeerName, tag: number): void {
    this.#sendControl('skip', to, tag)
  }

  #sendControl(kind: keyof ControlKinds, to: PeerName, tag: number): void {
    sendControl(this.#owner, this.#kinds[kind], to, tag)
  }
}

/** The sum of both, in the memory of the first. */
function added(sum: Message, message: Message): Message {
  const next: Record<string, Message[string]> = { ...sum }
  for (const [field, value] of Object.entries(message)) {
    const previous = sum[field]
    if (isVector(value) && isVector(previous)) value.values.forEach((each, i) => (previous.values[i] += each))
    else next[field] = (previous as number) + (value as number)
  }
  return next
}
