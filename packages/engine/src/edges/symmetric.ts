import { byName, type Envelope, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { type EdgeHeader, headerNumbers, noNumbers } from '../messages/header.js'
import { type MessageBuffer, tagOf } from '../messages/message-buffer.js'
import type { Owner } from '../messages/owner.js'
import type { Flow, Message, Mixing, Route, State } from '../record/record.js'
import { rejectDuplicate } from './controls.js'
import { Debts } from './debts.js'
import { type Debt, Edges, type EdgesListener } from './edge.js'
import {
  type Absence,
  type ControlKinds,
  type MessageDelivery,
  type EdgeEvent,
  type EdgePolicy,
  type EdgeTraits,
  type Inlet,
  noFlows,
  noneAbsent,
  noneOwed,
  type Owed
} from './edge-policy.js'
import { LastTags } from './last-tags.js'

/** How many exchanges ahead a kept message may be; neighbours that wait for each other are never that far apart. */
const exchangesAhead = 64

const noPeers: readonly PeerName[] = []
const noPeerSet: ReadonlySet<PeerName> = new Set()

function oneWayOf({ to, from }: Route): ReadonlySet<PeerName> {
  if (from === to || from.every((peer) => to.includes(peer))) return noPeerSet
  return new Set(from.filter((peer) => !to.includes(peer)))
}

/**
 * Symmetric gossip: both ends of an edge use each other's message of a tag with the same weight, or neither does.
 * {@link Edges} decides; this class sends, keeps and applies.
 */
export class Symmetric implements EdgePolicy, EdgesListener<Message> {
  readonly #owner: Owner
  readonly #inlet: Inlet
  readonly #buffer: MessageBuffer
  /** Whether a sum over the peers is kept, so that an exchange that one end continued without is owed. */
  readonly #isOwed: boolean
  /** How many rounds ahead of this peer's, and of the first, a kept message may be. */
  readonly #kept: { readonly ahead: number; readonly first: number }
  readonly #edges: Edges<Message>
  readonly #kinds: ControlKinds
  /** Created when something is late, or announced. */
  #lazyDebts: Debts | undefined
  readonly #lastTags = new LastTags()
  #route: Route | undefined
  /** The senders of this round that are sent no message. */
  #oneWay: ReadonlySet<PeerName> = noPeerSet

  constructor(owner: Owner, inlet: Inlet, buffer: MessageBuffer, { kinds, late, every = 1, first = 0 }: EdgeTraits) {
    this.#owner = owner
    this.#inlet = inlet
    this.#buffer = buffer
    this.#isOwed = late === 'owed'
    this.#kept = { ahead: exchangesAhead * every, first }
    this.#edges = new Edges(this)
    this.#kinds = kinds
  }

  get #debts(): Debts {
    return (this.#lazyDebts ??= new Debts(this.#owner, this.#edges, this.#kinds))
  }

  cancelled({ mine }: Debt<Message>): void {
    this.#owner.arena.pin(mine, -1)
  }

  renewed(peer: PeerName): void {
    this.#buffer.dropAll(peer)
    this.#lastTags.forget(peer)
    // The new life answers nothing that was sent to the earlier one, and sends nothing under the current tag.
    if (this.#edges.isOpen) this.#lastTags.note(peer, this.#currentTag)
  }

  get owing(): readonly Owed[] {
    if (this.#edges.debts === 0) return noneOwed
    return [...this.#edges.entries()].flatMap(([peer, { debt }]) => (debt ? { peer, since: debt.since } : []))
  }

  get #currentTag(): number {
    return this.#edges.currentTag
  }

  send(route: Route, delivery: MessageDelivery): readonly PeerName[] {
    if (!this.#begin(route)) return noPeers
    let unsent = noPeers
    for (const to of route.to) if (!this.#sendTo(to, route, delivery)) unsent = [...unsent, to]
    this.#endSending()
    return unsent
  }

  /**
   * Returns false where X was sent under this tag before, in an earlier round or before this peer was saved, and must
   * not be sent again.
   */
  #begin(route: Route): boolean {
    const { to, from } = route
    const tag = tagOf(route)
    const edges = this.#edges
    const isUnderWay = edges.isOpen && tag === this.#currentTag
    if (isUnderWay && this.#route !== undefined) return false
    if (to !== this.#route?.to || from !== this.#route.from) this.#oneWay = oneWayOf(route)
    this.#route = route
    if (!isUnderWay) edges.begin(tag)
    return !isUnderWay
  }

  #sendTo(to: PeerName, route: Route, delivery: MessageDelivery): boolean {
    const edges = this.#edges
    const edge = edges.of(to)
    if (!edges.maySend(edge) && route.from.includes(to)) {
      this.#debts.remind(to)
      this.#owner.unsent(to)
      return false
    }
    const { offer } = route as Partial<Mixing>
    const isUsual = offer === undefined && edges.life === 1 && edge.life === 1
    const header = isUsual ? noNumbers : headerNumbers({ offer, life: edges.life, toLife: edge.life })
    if (!delivery.deliver(to, header)) return false
    edges.markSent(edge)
    return true
  }

  /**
   * Every X of this tag has been sent. A peer that is left out of a repaired row and sends nothing receives SKIP. What
   * others have sent under this tag or earlier ones without a use is answered with SKIP.
   */
  #endSending(): void {
    const { to, offer, filedTo = noPeers, filedFrom = noPeers } = this.#route as Mixing
    const isLeftOut = (peer: PeerName) => !to.includes(peer) && !filedFrom.includes(peer)
    if (offer !== undefined) for (const peer of filedTo) if (isLeftOut(peer)) this.#skip(peer, this.#currentTag)
    for (const { tag, from } of this.#buffer.upTo(this.#currentTag)) this.#answer(tag, from)
  }

  /** Sends SKIP for a message that arrived before its round began and has no use in it. */
  #answer(tag: number, from: PeerName): void {
    if (tag === this.#currentTag && this.#edges.hasSent(from)) return
    if (tag === this.#currentTag && this.#oneWay.has(from))
      return this.#answerOneWay(from, this.#buffer.headerOf(tag, from))
    this.#buffer.drop(tag, from)
    this.#skip(from, tag)
  }

  /** A sender whose row is repaired may wait for a message that this peer does not send. */
  #answerOneWay(from: PeerName, { offer }: EdgeHeader): void {
    if (offer !== undefined) this.#skip(from, this.#currentTag)
  }

  isAwaited(from: PeerName): boolean {
    if (this.#oneWay.has(from)) return !this.#lastTags.isPast(from, this.#currentTag)
    return this.#edges.hasSent(from) && !this.#edges.hasSkipped(from)
  }

  receive(envelope: Envelope<VectorMessage>, isLate: boolean): Message | undefined {
    const { from, message: part } = envelope
    const tag = tagOf(part)
    if (tag > this.#currentTag && (!this.#inlet.hasRoom(envelope) || this.#isTooEarly(tag))) {
      this.#refuse(from, part)
      this.#inlet.drop(envelope)
      return undefined
    }
    if (this.#inlet.isDuplicate(envelope)) {
      rejectDuplicate(this.#owner, envelope)
      return undefined
    }
    const message = this.#inlet.read(envelope, !isLate)
    if (message === undefined || message === 'unusable') return undefined
    return this.#take(from, tag, message, this.#inlet.header) ? message : undefined
  }

  /** Whether a message of a future tag is too far ahead to be kept. */
  #isTooEarly(tag: number): boolean {
    const { ahead, first } = this.#kept
    return tag > tagOf({ round: Math.max(this.#owner.round, first) + ahead })
  }

  /** A message has no room. */
  #refuse(from: PeerName, { round, part = 0, field = 0, offset = 0 }: VectorMessage): void {
    if (field > 0 || offset > 0) return
    const tag = tagOf({ round, part })
    this.#lastTags.note(from, tag)
    this.#edges.refuse(from, tag)
    this.#skip(from, tag)
  }

  /** X has arrived. Returns whether to keep it. */
  #take(from: PeerName, tag: number, message: Message, header: EdgeHeader): boolean {
    if (!this.#edges.isOfLives(from, header.life, header.toLife)) return false
    const verdict = this.#edges.receive(from, tag)
    if (verdict === 'late') this.#settle(from, message, header)
    // Its sender sends nothing more under the current tag.
    if (verdict === 'keep') this.#lastTags.note(from, tag)
    if (verdict !== 'skip') return verdict === 'keep' || verdict === 'mix'
    if (tag !== this.#currentTag || !this.#edges.isOpen || !this.#oneWay.has(from)) {
      this.#skip(from, tag)
      return false
    }
    this.#answerOneWay(from, header)
    return true
  }

  close(lacking: readonly PeerName[], mine: Message | undefined, since: Milliseconds): readonly Absence[] {
    const absences = lacking.length === 0 ? noneAbsent : lacking.map((from) => this.#continueWithout(from, mine, since))
    this.#edges.isOpen = false
    return absences
  }

  #continueWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence {
    const edges = this.#edges
    if (this.#oneWay.has(from)) return this.isAwaited(from) ? 'silent' : 'skipped'
    if (!edges.hasSent(from)) return edges.of(from).silentUntil < edges.currentTag ? 'unsent' : 'skipped'
    if (edges.hasSkipped(from)) return 'skipped'
    if (this.#isOwed && mine !== undefined) this.#owe(from, mine, since)
    return 'silent'
  }

  step(event: EdgeEvent): boolean {
    switch (event.kind) {
      case 'skip':
      case 'withdraw': {
        const { from, tag, header } = event
        if (!this.#edges.isOfLives(from, header.life, header.toLife)) return false
        if (event.kind === 'skip') this.#skipped(from, tag)
        else this.#withdrawn(from, tag)
        return true
      }
      case 'life':
        this.#newLife(event.peer, event.life)
        return true
      case 'pause':
      case 'resume':
        this.#pause(event.kind === 'pause')
        return true
      case 'claim':
        this.#lazyDebts?.askAll()
        return true
      case 'remind':
        this.#lazyDebts?.remindAll()
        return true
      // What its round did not collect is dropped.
      default:
        return event.kind === 'uncollected'
    }
  }

  #skipped(from: PeerName, tag: number): void {
    this.#lastTags.note(from, tag)
    const debt = this.#edges.skip(from, tag)
    const { presence } = this.#owner
    // A peer that was asked may answer SKIP because it is far behind. Where members account for what a peer has cost,
    // and a peer that is behind takes a state, it is waited for again.
    if (debt?.askedAt === undefined) this.#excuse(from, debt)
    else if (presence.members.mayReturn) presence.heard(from)
  }

  #withdrawn(from: PeerName, tag: number): void {
    this.#edges.withdraw(from, tag)
    if (tag > this.#currentTag) this.#buffer.drop(tag, from)
    this.#skip(from, tag)
  }

  /** The flows of late messages, ordered by name and tag: those of one peer arrive in the order of tags. */
  takeFlows(): readonly Flow<Message>[] {
    const flows = this.#lazyDebts?.takeFlows() ?? noFlows
    return flows.length < 2 ? flows : [...flows].sort((left, right) => byName(left.from, right.from))
  }

  /** A peer, or this one, has a new life, without its previous state: all its open exchanges end. */
  #newLife(peer: PeerName, life: number): void {
    if (peer === this.#owner.fabric.self) this.#edges.beginLife(life)
    // Messages of a life may arrive before it is announced; they are kept.
    else if (life > this.#edges.of(peer).life) this.#edges.newLife(peer, life)
  }

  /** A paused peer answers every message that it has or receives with SKIP. */
  #pause(isPaused: boolean): void {
    this.#edges.declines = isPaused
    if (!isPaused) return
    for (const { tag, from } of this.#buffer.upTo(Number.POSITIVE_INFINITY)) {
      if (tag <= this.#currentTag) continue
      this.#buffer.drop(tag, from)
      this.#edges.refuse(from, tag)
      this.#skip(from, tag)
    }
  }

  get state(): State {
    return this.#debts.saved
  }

  set state(saved: State) {
    this.#debts.restore(saved)
  }

  #owe(to: PeerName, mine: Message, since: Milliseconds): void {
    const W = this.#route as Mixing
    const offer = W.row(to)
    const theirs = W.offer === undefined ? offer : (W.filed?.(to) ?? offer)
    this.#debts.owe(to, { tag: this.#currentTag, mine, offer, theirs, since })
  }

  #settle(from: PeerName, theirs: Message, { offer }: EdgeHeader): void {
    const weightOf = (debt: Debt<Message>) => Math.min(debt.offer, offer ?? debt.theirs)
    this.#excuse(from, this.#debts.settle(from, theirs, weightOf))
  }

  /**
   * A debt was settled or cancelled. If that took no more than a timeout, the peer is waited for again: it would have
   * been in time.
   */
  #excuse(from: PeerName, debt: Debt<Message> | undefined): void {
    const { fabric, timeout, presence } = this.#owner
    if (debt !== undefined && fabric.now() - debt.since <= timeout) presence.heard(from)
  }

  #skip(to: PeerName, tag: number): void {
    this.#debts.send('skip', to, tag)
  }
}
