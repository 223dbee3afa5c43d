import { byName, type Envelope, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message, Mixing, Route, State } from '../record/record.js'
import { type Debt, type Edge, Edges, type EdgesListener } from './edge.js'
import { Debts } from './debts.js'
import { type MessageBuffer, type EarlyMessages, tagOf } from '../messages/message-buffer.js'
import type { OpenEdges } from './exchanges.js'
import type { Absence, ControlKinds, Exchanging, ExchangeTraits } from './exchanging.js'
import { LastTags } from './last-tags.js'
import type { Owner } from '../messages/owner.js'
import { type Header, headerNumbers, noNumbers } from '../messages/header.js'

/** How many exchanges ahead a kept message may be; neighbours that wait for each other are never that far apart. */
const exchangesAhead = 64

const noPeers: readonly PeerName[] = []
const nothing: readonly Flow<Message>[] = []
const noPeerSet: ReadonlySet<PeerName> = new Set()

function oneWayOf({ to, from }: Route): ReadonlySet<PeerName> {
  if (from === to || from.every((peer) => to.includes(peer))) return noPeerSet
  return new Set(from.filter((peer) => !to.includes(peer)))
}

/** The edges of a channel: {@link Edges} decides; this class sends, keeps and applies. */
export class Exchange implements Exchanging, OpenEdges, EdgesListener<Message> {
  readonly takesAll = false
  readonly #owner: Owner
  readonly #buffer: MessageBuffer
  /** Whether a sum over the peers is kept, so that an exchange that one end continued without is owed. */
  readonly #isOwed: boolean
  /** How many rounds ahead a kept message may be. */
  readonly #roundsAhead: number
  readonly #edges: Edges<Message>
  readonly #kinds: ControlKinds
  /** Created when something is late, or announced. */
  #lazyDebts: Debts | undefined
  readonly #lastTags = new LastTags()
  #route: Route | undefined
  /** The senders of this round that are sent no message. */
  #oneWay: ReadonlySet<PeerName> = noPeerSet
  #unsentCount = 0
  #requestedEdge: Edge<Message> | undefined
  /** Whether X was sent to all under the current tag, and no peer has answered with SKIP or begun a new life. */
  isUsual = true

  constructor(owner: Owner, buffer: MessageBuffer, { kinds, late, every = 1 }: ExchangeTraits) {
    this.#owner = owner
    this.#buffer = buffer
    this.#isOwed = late === 'owed'
    this.#roundsAhead = exchangesAhead * every
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
    if (this.#edges.isOpen) this.#lastTags.note(peer, this.currentTag)
    this.isUsual = false
  }

  /** The peers whose messages this peer has continued without and that have not arrived. */
  get owing(): readonly PeerName[] {
    return this.#edges.owing
  }

  get hasDebts(): boolean {
    return this.#edges.debts > 0
  }

  get currentTag(): number {
    return this.#edges.currentTag
  }

  begin(route: Route): 'begins' | 'under way' {
    const { to, from } = route
    const [tag, edges] = [tagOf(route), this.#edges]
    const isUnderWay = edges.isOpen && tag === this.currentTag
    if (isUnderWay && this.#route !== undefined) return 'under way'
    if (to !== this.#route?.to || from !== this.#route.from) this.#oneWay = oneWayOf(route)
    this.#route = route
    this.#unsentCount = 0
    // X was sent before this peer was saved, perhaps not to all.
    this.isUsual = !isUnderWay
    if (!isUnderWay) edges.begin(tag)
    return isUnderWay ? 'under way' : 'begins'
  }

  headerTo(to: PeerName): readonly number[] | undefined {
    const edges = this.#edges
    const edge = edges.of(to)
    this.#requestedEdge = edge
    if (!edges.maySend(edge) && this.#route?.from.includes(to) === true) {
      this.#debts.remind(to)
      this.#unsentCount++
      return undefined
    }
    const { offer } = this.#route as Partial<Mixing>
    const isUsual = offer === undefined && edges.life === 1 && edge.life === 1
    return isUsual ? noNumbers : headerNumbers({ offer, life: edges.life, toLife: edge.life })
  }

  markSent(): void {
    if (this.#requestedEdge !== undefined) this.#edges.markSent(this.#requestedEdge)
  }

  markUnsent(): void {
    this.#unsentCount++
  }

  /**
   * Every X of this tag has been sent. A peer that is left out of a repaired row and sends nothing receives SKIP. What others have sent under this
   * tag or earlier ones without a use is answered with SKIP.
   */
  endSending(): void {
    const { to, offer, filedTo = noPeers, filedFrom = noPeers } = this.#route as Mixing
    const isLeftOut = (peer: PeerName) => !to.includes(peer) && !filedFrom.includes(peer)
    if (offer !== undefined) for (const peer of filedTo) if (isLeftOut(peer)) this.#skip(peer, this.currentTag)
    this.isUsual = this.#unsentCount === 0 && (this.#oneWay.size === 0 || !this.#hasOneWayPassed)
    for (const { tag, from } of this.#buffer.upTo(this.currentTag)) this.#answer(tag, from)
  }

  /** Whether a one-way sender has sent something of the current tag or a later one. */
  get #hasOneWayPassed(): boolean {
    return [...this.#oneWay].some((peer) => this.#lastTags.isPast(peer, this.currentTag))
  }

  /** Sends SKIP for a message that arrived before its round began and has no use in it. */
  #answer(tag: number, from: PeerName): void {
    if (tag === this.currentTag && this.#edges.hasSent(from)) return
    if (tag === this.currentTag && this.#oneWay.has(from))
      return this.#answerOneWay(from, this.#buffer.headerOf(tag, from))
    this.#buffer.drop(tag, from)
    this.#skip(from, tag)
  }

  /** A sender whose row is repaired may wait for a message that this peer does not send. */
  #answerOneWay(from: PeerName, { offer }: Header): void {
    if (offer !== undefined) this.#skip(from, this.currentTag)
  }

  isAwaited(from: PeerName): boolean {
    if (this.#oneWay.has(from)) return !this.#lastTags.isPast(from, this.currentTag)
    return this.#edges.hasSent(from) && !this.#edges.hasSkipped(from)
  }

  isTooEarly(tag: number): boolean {
    return tag > tagOf({ round: this.#owner.round + this.#roundsAhead })
  }

  refuse(from: PeerName, { round, part = 0, field = 0, offset = 0 }: VectorMessage): void {
    if (field > 0 || offset > 0) return
    const tag = tagOf({ round, part })
    this.#lastTags.note(from, tag)
    this.#edges.refuse(from, tag)
    this.#skip(from, tag)
  }

  take(from: PeerName, tag: number, message: Message, header: Header): boolean {
    if (!this.#edges.isOfLives(from, header.life, header.toLife)) return false
    const verdict = this.#edges.receive(from, tag)
    if (verdict === 'late') this.#settle(from, message, header)
    if (verdict === 'keep') this.#isAhead(from, tag)
    if (verdict !== 'skip') return verdict === 'keep' || verdict === 'mix'
    if (tag !== this.currentTag || !this.#edges.isOpen || !this.#oneWay.has(from)) {
      this.#skip(from, tag)
      return false
    }
    this.#answerOneWay(from, header)
    return true
  }

  /** A message of a future tag has arrived: its sender sends nothing more under the current tag. */
  #isAhead(from: PeerName, tag: number): void {
    this.#lastTags.note(from, tag)
    if (this.#oneWay.has(from)) this.isUsual = false
  }

  continueWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence {
    const edges = this.#edges
    if (this.#oneWay.has(from)) return this.isAwaited(from) ? 'silent' : 'skipped'
    if (!edges.hasSent(from)) return edges.of(from).silentUntil < edges.currentTag ? 'unsent' : 'skipped'
    if (edges.hasSkipped(from)) return 'skipped'
    if (this.#isOwed && mine !== undefined) this.#owe(from, mine, since)
    return 'silent'
  }

  keepUncollected(): void {}

  close(): void {
    this.#edges.isOpen = false
  }

  accept(envelope: Envelope<VectorMessage>): void {
    const control = this.#debts.read(envelope)
    if (control?.isSkip === true) this.#skipped(envelope.from, control.tag)
    if (control?.isSkip === false) this.#withdrawn(envelope.from, control.tag)
  }

  #skipped(from: PeerName, tag: number): void {
    this.#lastTags.note(from, tag)
    const debt = this.#edges.skip(from, tag)
    const { presence } = this.#owner
    // A peer that was asked may answer SKIP because it is far behind. Where members account for what a peer has cost, and a peer that is behind takes
    // a state, it is waited for again.
    if (debt?.askedAt === undefined) this.#excuse(from, debt)
    else if (presence.members !== undefined) presence.heard(from)
    if (tag >= this.currentTag) this.isUsual = false
  }

  #withdrawn(from: PeerName, tag: number): void {
    this.#edges.withdraw(from, tag)
    if (tag > this.currentTag) this.#buffer.drop(tag, from)
    this.#skip(from, tag)
  }

  askAll(): number {
    const { fabric, timeout, presence } = this.#owner
    let until = fabric.now()
    for (const [peer, { debt }] of this.#edges.entries())
      if (debt !== undefined && !presence.isDead(peer)) until = Math.max(until, debt.since + timeout)
    this.#debts.askAll()
    return until
  }

  remindAll(): void {
    this.#debts.remindAll()
  }

  /** The flows of late messages, ordered by name and tag: those of one peer arrive in the order of tags. */
  takeFlows(): readonly Flow<Message>[] {
    const flows = this.#lazyDebts?.takeFlows() ?? nothing
    return flows.length < 2 ? flows : [...flows].sort((left, right) => byName(left.from, right.from))
  }

  /** A peer has a new life, without its previous state: all its open exchanges end. */
  newLife(peer: PeerName, life: number): void {
    // Messages of a life may arrive before it is announced; they are kept.
    if (life <= this.#edges.of(peer).life) return
    this.#edges.newLife(peer, life)
  }

  /** This peer has a new life. */
  beginLife(life: number): void {
    this.#edges.beginLife(life)
  }

  /** A paused peer answers every message that it has or receives with SKIP. */
  pause(isPaused: boolean): void {
    this.#edges.declines = isPaused
    if (!isPaused) return
    for (const { tag, from } of this.#buffer.upTo(Number.POSITIVE_INFINITY)) {
      if (tag <= this.currentTag) continue
      this.#buffer.drop(tag, from)
      this.#edges.refuse(from, tag)
      this.#skip(from, tag)
    }
  }

  saved(messages: EarlyMessages): State {
    return this.#debts.saved(messages)
  }

  restore(state: State): void {
    this.#debts.restore(state)
  }

  #owe(to: PeerName, mine: Message, since: Milliseconds): void {
    const W = this.#route as Mixing
    const offer = W.row(to)
    const theirs = W.offer === undefined ? offer : (W.filed?.(to) ?? offer)
    this.#debts.owe(to, { tag: this.currentTag, mine, offer, theirs, since })
  }

  #settle(from: PeerName, theirs: Message, { offer }: Header): void {
    const weightOf = (debt: Debt<Message>) => Math.min(debt.offer, offer ?? debt.theirs)
    this.#excuse(from, this.#debts.settle(from, theirs, weightOf))
  }

  /** A debt was settled or cancelled. If that took no more than a timeout, the peer is waited for again: it would have been in time. */
  #excuse(from: PeerName, debt: Debt<Message> | undefined): void {
    const { fabric, timeout, presence } = this.#owner
    if (debt !== undefined && fabric.now() - debt.since <= timeout) presence.heard(from)
  }

  #skip(to: PeerName, tag: number): void {
    this.#debts.send('skip', to, tag)
  }
}
