import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { EdgeHeader } from '../messages/header.js'
import { tagOf } from '../messages/message-buffer.js'
import type { Owner } from '../messages/owner.js'
import type { Flow, Message, Route, State } from '../record/record.js'
import { Debts } from './debts.js'
import { type Debt, Edges, type EdgesListener } from './edge.js'
import {
  type Absence,
  type ControlKinds,
  type MessageDelivery,
  type EdgeEvent,
  type EdgePolicy,
  type Inlet,
  noneOwed,
  type Owed
} from './edge-policy.js'

const noPeers: readonly PeerName[] = []

/** The traits of a channel whose replies move both ends. */
export interface PushPullTraits {
  readonly kinds: ControlKinds
  /** A reply moves the state by `weight (reply − ask)`, field by field. */
  readonly weight: number
}

/**
 * Push–pull steps: the edges of a channel of requests, at the asker: the rules of {@link Edges}, with the numbers of
 * the asks as tags. A peer that replies has moved at that moment, so a reply is used whenever it arrives. A peer that
 * is asked whether a reply will arrive answers SKIP: links deliver in order, so a reply that was sent has arrived
 * before.
 */
export class PushPull implements EdgePolicy, EdgesListener<Message> {
  readonly #owner: Owner
  readonly #inlet: Inlet
  readonly #debts: Debts
  readonly #weight: number
  readonly #edges: Edges<Message>

  constructor(owner: Owner, inlet: Inlet, { kinds, weight }: PushPullTraits) {
    this.#owner = owner
    this.#inlet = inlet
    this.#weight = weight
    this.#edges = new Edges(this)
    this.#debts = new Debts(owner, this.#edges, kinds)
  }

  cancelled({ mine }: Debt<Message>): void {
    this.#owner.arena.pin(mine, -1)
  }

  /** A late reply is waited for as long as any other, from now on. */
  get owing(): readonly Owed[] {
    if (this.#edges.debts === 0) return noneOwed
    const since = this.#owner.fabric.now()
    return this.#edges.owing.map((peer) => ({ peer, since }))
  }

  /** Sends an ask, unless an exchange with its receiver is open; or a reply, for which nothing is awaited. */
  send(route: Route, delivery: MessageDelivery): readonly PeerName[] {
    const isReply = route.from.length === 0
    if (!isReply) this.#begin(tagOf(route))
    const isSent = (to: PeerName) => (isReply ? delivery.deliver(to, this.#debts.livesTo(to)) : this.#ask(to, delivery))
    const unsent = route.to.filter((to) => !isSent(to))
    return unsent.length === 0 ? noPeers : unsent
  }

  #begin(tag: number): void {
    this.#debts.remindAll()
    this.#edges.begin(tag)
  }

  #ask(to: PeerName, delivery: MessageDelivery): boolean {
    const edge = this.#edges.of(to)
    if (edge.debt !== undefined || !delivery.deliver(to, this.#debts.livesTo(to))) return false
    this.#edges.markSent(edge)
    return true
  }

  /** A part of a reply has arrived. One that cannot be used counts as one that will not arrive. */
  receive(envelope: Envelope<VectorMessage>): Message | undefined {
    const { from } = envelope
    const tag = tagOf({ round: envelope.message.round })
    const reply = this.#inlet.read(envelope, true)
    if (reply === 'unusable') this.#edges.skip(from, tag)
    return typeof reply === 'object' && this.#take(from, tag, reply) ? reply : undefined
  }

  /** Returns whether a reply answers the current ask. */
  #take(from: PeerName, tag: number, reply: Message): boolean {
    if (!this.#isOfLives(from, this.#inlet.header)) return false
    const verdict = this.#edges.receive(from, tag)
    if (verdict === 'late') this.#debts.settle(from, reply, () => this.#weight)
    return verdict === 'mix'
  }

  /** Whether a reply to the current ask may arrive. */
  isAwaited(to: PeerName): boolean {
    return this.#edges.hasSent(to) && !this.#edges.hasSkipped(to)
  }

  close(lacking: readonly PeerName[], ask: Message | undefined, since: Milliseconds): readonly Absence[] {
    this.#edges.isOpen = false
    return lacking.map((to) => {
      if (!this.isAwaited(to)) return 'skipped'
      const tag = this.#edges.currentTag
      if (ask !== undefined) this.#debts.owe(to, { tag, mine: ask, offer: 1, theirs: 1, since })
      return 'silent'
    })
  }

  step(event: EdgeEvent): boolean {
    switch (event.kind) {
      case 'skip':
      case 'withdraw':
        if (!this.#isOfLives(event.from, event.header)) return false
        if (event.kind === 'skip') this.#edges.skip(event.from, event.tag)
        else this.#debts.send('skip', event.from, event.tag)
        return true
      case 'asked':
        return this.#isOfLives(event.from, event.header) && !this.#edges.declines
      case 'unanswered':
        this.#debts.send('skip', event.from, event.tag)
        return true
      case 'life':
        this.#newLife(event.peer, event.life)
        return true
      case 'pause':
      case 'resume':
        this.#edges.declines = event.kind === 'pause'
        return true
      case 'claim':
        this.#debts.askAll()
        return true
      case 'remind':
        this.#debts.remindAll()
        return true
      default:
        return false
    }
  }

  #isOfLives(from: PeerName, { life, toLife }: EdgeHeader): boolean {
    return this.#edges.isOfLives(from, life, toLife)
  }

  #newLife(peer: PeerName, life: number): void {
    if (peer === this.#owner.fabric.self) this.#edges.beginLife(life)
    else if (life > this.#edges.of(peer).life) this.#edges.newLife(peer, life)
  }

  takeFlows(): readonly Flow<Message>[] {
    return this.#debts.takeFlows()
  }

  get state(): State {
    return this.#debts.saved
  }

  set state(saved: State) {
    this.#debts.restore(saved)
  }
}
