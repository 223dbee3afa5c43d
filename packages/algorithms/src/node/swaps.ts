import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message, State } from '../record.js'
import type { EarlyMessages } from './early.js'
import { Edges } from './edge.js'
import type { ControlKinds } from './exchanging.js'
import type { Owner } from './owner.js'
import { restoreEdges, savedEdges } from './saved-edges.js'
import { readTerms, termNumbers, termsOf } from './terms.js'

const empty = new Float32Array(0)

/** Of a channel whose replies move both ends. */
export interface SwapTraits {
  readonly kinds: ControlKinds
  /** A reply moves the state by `weight (reply − ask)`, field by field. */
  readonly weight: number
}

/**
 * The edges of a channel of requests, as their asker has them: the rules of {@link Edges}, with the numbers of the asks as tags. Who replies has moved at
 * that moment, so a reply is used whenever it comes. Who is asked whether one will come says SKIP: links deliver in order, so a reply that was sent has come by then.
 */
export class Swaps {
  readonly #owner: Owner
  readonly #traits: SwapTraits
  readonly #edges: Edges<Message>
  #flows: Flow<Message>[] = []

  constructor(owner: Owner, traits: SwapTraits) {
    this.#owner = owner
    this.#traits = traits
    this.#edges = new Edges(({ mine }) => owner.arena.pin(mine, -1))
  }

  /** Whose reply has not come yet, and is not waited for any more. */
  get owing(): readonly PeerName[] {
    return this.#edges.owing
  }

  /** Whether an ask may be sent: nothing is open with its receiver. */
  begin(to: PeerName, id: number): boolean {
    if (this.#edges.debts > 0) this.#remind()
    this.#edges.begin(id)
    return this.#edges.of(to).debt === undefined
  }

  /** The ask that has begun was sent. */
  said(to: PeerName): void {
    this.#edges.say(this.#edges.of(to))
  }

  /** Whether a reply to it may come. */
  isOpen(to: PeerName): boolean {
    return this.#edges.hasSaid(to) && !this.#edges.hasSkipped(to)
  }

  /** It is not waited for any longer. */
  close(to: PeerName, ask: Message, since: Milliseconds): void {
    this.#edges.isOpen = false
    if (!this.isOpen(to)) return
    const { arena, presence } = this.#owner
    const debt = { tag: this.#edges.begun, mine: ask, offer: 1, theirs: 1, since, asked: undefined }
    arena.pin(ask, 1)
    this.#edges.owe(to, debt)
    if (presence.isAwaited(to)) this.#ask(to)
  }

  /** The ask that has begun is over: its reply has come. */
  replied(): void {
    this.#edges.isOpen = false
  }

  /** What travels beside a message to a peer. */
  termsTo(peer: PeerName): readonly number[] {
    return termNumbers({ life: this.#edges.life, toLife: this.#edges.of(peer).life })
  }

  /** Whether an ask is of present lives, and this peer replies. */
  mayReply(from: PeerName, ask: Message): boolean {
    const { life, toLife } = termsOf(ask)
    return this.#edges.isOfLives(from, life, toLife) && !this.#edges.declines
  }

  /** A reply has come. Whether it is to the ask that has begun. */
  take(from: PeerName, id: number, reply: Message): boolean {
    const { life, toLife } = termsOf(reply)
    if (!this.#edges.isOfLives(from, life, toLife)) return false
    const verdict = this.#edges.come(from, id)
    if (verdict === 'late') this.#settle(from, id, reply)
    return verdict === 'mix'
  }

  /** No reply to an ask will come. */
  skip(to: PeerName, id: number): void {
    this.#control(this.#traits.kinds.skip, to, id)
  }

  acceptSkip(envelope: Envelope<VectorMessage>): void {
    const id = this.#open(envelope)
    if (id !== undefined) this.#edges.skip(envelope.from, id)
  }

  acceptWithdraw(envelope: Envelope<VectorMessage>): void {
    const id = this.#open(envelope)
    if (id !== undefined) this.skip(envelope.from, id)
  }

  /** Asks all whose reply has not come. Returns until when it makes sense to wait for answers. */
  remindAll(): Milliseconds {
    const { fabric, timeout } = this.#owner
    for (const peer of this.owing) this.#ask(peer)
    return this.owing.length === 0 ? fabric.now() : fabric.now() + timeout
  }

  /** The flows whose reply has come late. They are the round's from now on. */
  takeFlows(): readonly Flow<Message>[] {
    if (this.#flows.length === 0) return this.#flows
    const flows = this.#flows
    this.#flows = []
    for (const { mine, theirs } of flows) {
      this.#owner.arena.pin(mine, -1)
      this.#owner.arena.pin(theirs, -1)
    }
    return flows
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
    return savedEdges(this.#edges, messages)
  }

  restore(state: State): void {
    restoreEdges(this.#edges, state, this.#owner.fabric.now())
    for (const [, { debt }] of this.#edges.entries()) if (debt !== undefined) this.#owner.arena.pin(debt.mine, 1)
  }

  #settle(from: PeerName, id: number, theirs: Message): void {
    const debt = this.#edges.settle(from)
    if (debt === undefined) return
    this.#owner.arena.pin(theirs, 1)
    this.#flows.push({ from, round: id, weight: this.#traits.weight, mine: debt.mine, theirs })
  }

  /** Asks those again that were asked a timeout ago: what was asked may be lost. */
  #remind(): void {
    const { fabric, timeout } = this.#owner
    for (const peer of this.owing) {
      const { debt } = this.#edges.of(peer)
      if (debt !== undefined && fabric.now() - (debt.asked ?? debt.since) >= timeout) this.#ask(peer)
    }
  }

  #ask(to: PeerName): void {
    const { debt } = this.#edges.of(to)
    if (debt === undefined) return
    debt.asked = this.#owner.fabric.now()
    this.#control(this.#traits.kinds.withdraw, to, debt.tag)
  }

  #control(kind: number, to: PeerName, round: number): void {
    this.#owner.send(to, { kind, round, part: 0, numbers: this.termsTo(to), vector: empty })
  }

  /** The number of the ask that a message without a vector is about; undefined for what is none, or of another life. */
  #open(envelope: Envelope<VectorMessage>): number | undefined {
    const { from, message } = envelope
    const { round, part = 0, field = 0, numbers = [], vector } = message
    const terms = readTerms(numbers)
    if (vector.length > 0 || field > 0 || part > 0 || terms === undefined) {
      this.#owner.fabric.reject(envelope, `what is no answer about request ${round}`)
      return undefined
    }
    return this.#edges.isOfLives(from, terms.life, terms.toLife) ? round : undefined
  }
}
