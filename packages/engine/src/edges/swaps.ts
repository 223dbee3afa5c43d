import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message, State } from '../record/record.js'
import { Debts } from './debts.js'
import { type EarlyMessages, tagOf } from '../messages/message-buffer.js'
import { type Debt, Edges, type EdgesListener } from './edge.js'
import type { OpenEdges } from './exchanges.js'
import type { ControlKinds } from './exchanging.js'
import type { Owner } from '../messages/owner.js'
import type { Header } from '../messages/header.js'

/** The traits of a channel whose replies move both ends. */
export interface SwapTraits {
  readonly kinds: ControlKinds
  /** A reply moves the state by `weight (reply − ask)`, field by field. */
  readonly weight: number
}

/**
 * The edges of a channel of requests, at the asker: the rules of {@link Edges}, with the numbers of the asks as tags. A peer that replies has moved
 * at that moment, so a reply is used whenever it arrives. A peer that is asked whether a reply will arrive answers SKIP: links deliver in order, so a
 * reply that was sent has arrived before.
 */
export class Swaps implements EdgesListener<Message>, OpenEdges {
  readonly #owner: Owner
  readonly #debts: Debts
  readonly #weight: number
  readonly #edges: Edges<Message>

  constructor(owner: Owner, { kinds, weight }: SwapTraits) {
    this.#owner = owner
    this.#weight = weight
    this.#edges = new Edges(this)
    this.#debts = new Debts(owner, this.#edges, kinds, Number.POSITIVE_INFINITY)
  }

  cancelled({ mine }: Debt<Message>): void {
    this.#owner.arena.pin(mine, -1)
  }

  /** The peers whose replies have not arrived and are no longer waited for. */
  get owing(): readonly PeerName[] {
    return this.#edges.owing
  }

  /** Whether an ask may be sent: no exchange with its receiver is open. */
  begin(to: PeerName, id: number): boolean {
    for (const peer of this.owing) this.#debts.remind(peer)
    this.#edges.begin(tagOf({ round: id }))
    return this.#edges.of(to).debt === undefined
  }

  /** The current ask was sent. */
  markSent(to: PeerName): void {
    this.#edges.markSent(this.#edges.of(to))
  }

  /** Whether a reply to it may arrive. */
  isOpen(to: PeerName): boolean {
    return this.#edges.hasSent(to) && !this.#edges.hasSkipped(to)
  }

  /** It is no longer waited for. */
  close(to: PeerName, ask: Message, since: Milliseconds): void {
    this.#edges.isOpen = false
    if (!this.isOpen(to)) return
    this.#debts.owe(to, { tag: this.#edges.currentTag, mine: ask, offer: 1, theirs: 1, since })
  }

  /** The reply to the current ask has arrived. */
  replied(): void {
    this.#edges.isOpen = false
  }

  /** The header to send with a message to a peer, as numbers. */
  headerTo(peer: PeerName): readonly number[] {
    return this.#debts.livesTo(peer)
  }

  /** Whether an ask belongs to the present lives, and this peer replies. */
  mayReply(from: PeerName, { life, toLife }: Header): boolean {
    return this.#edges.isOfLives(from, life, toLife) && !this.#edges.declines
  }

  /** A reply has arrived. Returns whether it answers the current ask. */
  take(from: PeerName, id: number, reply: Message, { life, toLife }: Header): boolean {
    if (!this.#edges.isOfLives(from, life, toLife)) return false
    const verdict = this.#edges.receive(from, tagOf({ round: id }))
    if (verdict === 'late') this.#debts.settle(from, reply, () => this.#weight)
    return verdict === 'mix'
  }

  /** A reply has arrived that cannot be used. */
  drop(from: PeerName, id: number): void {
    this.#edges.skip(from, tagOf({ round: id }))
  }

  /** Announces that no reply to an ask will arrive. */
  skip(to: PeerName, id: number): void {
    this.#debts.send('skip', to, tagOf({ round: id }))
  }

  accept(envelope: Envelope<VectorMessage>): void {
    const control = this.#debts.read(envelope)
    if (control?.isSkip === true) this.#skipped(envelope.from, control.tag)
    if (control?.isSkip === false) this.#withdrawn(envelope.from, control.tag)
  }

  #skipped(from: PeerName, tag: number): void {
    this.#edges.skip(from, tag)
  }

  #withdrawn(from: PeerName, tag: number): void {
    this.#debts.send('skip', from, tag)
  }

  askAll(): Milliseconds {
    const { fabric, timeout } = this.#owner
    this.#debts.askAll()
    return this.owing.length === 0 ? fabric.now() : fabric.now() + timeout
  }

  remindAll(): void {
    this.#debts.remindAll()
  }

  /** The flows of late replies. Their vectors belong to the current round from now on. */
  takeFlows(): readonly Flow<Message>[] {
    return this.#debts.takeFlows()
  }

  newLife(peer: PeerName, life: number): void {
    if (life > this.#edges.of(peer).life) this.#edges.newLife(peer, life)
  }

  beginLife(life: number): void {
    this.#edges.beginLife(life)
  }

  pause(isPaused: boolean): void {
    this.#edges.declines = isPaused
  }

  saved(messages: EarlyMessages): State {
    return this.#debts.saved(messages)
  }

  restore(state: State): void {
    this.#debts.restore(state)
  }
}
