import { byName, type Envelope, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Call, Message, Requests, Route, State } from '../record/record.js'
import { type EarlyMessages, tagOf } from '../messages/message-buffer.js'
import { noPeerLeft } from '../members/missing.js'
import type { ChannelTraits, Owner } from '../messages/owner.js'
import type { MessageDelivery, EdgePolicy, Inlet } from '../edges/edge-policy.js'
import { Plain } from '../edges/plain.js'
import { PushPull, type PushPullTraits } from '../edges/push-pull.js'
import { withoutOpen } from '../edges/saved-edges.js'
import type { EdgeHeader } from '../messages/header.js'
import { Wire } from '../messages/wire.js'

const noPeers: readonly PeerName[] = []

/** Computes the reply to a request, immediately or never. */
export type Answer = (ask: Message, from: PeerName) => Answered | undefined

export interface Answered {
  readonly reply: Message
  /** Called once the reply is queued: only then does this peer's state move. */
  accept?(): void
}

/** A request that is waited for. */
interface Open {
  readonly id: number
  readonly to: PeerName
  reply?: Message
  isRefused?: true
}

/** A channel of requests. */
export class Caller implements Requests<Message, Message>, Inlet {
  readonly name: string
  readonly policy: EdgePolicy
  /** Whether a reply moves both ends. */
  readonly #movesBoth: boolean
  readonly #isReliable: boolean
  readonly #owner: Owner
  readonly #asks: Wire
  readonly #replies: Wire
  /** Tells an asker that it gets no reply; absent where an ask without a reply is silently dropped, or SKIP says so. */
  readonly #refusals: Wire | undefined
  readonly #answer: Answer | undefined
  #nextId = 0
  #open: Open | undefined
  /**
   * How often each peer has not replied in time, where refusals are sent: it refuses nothing, so its reply may take
   * longer.
   */
  readonly #unanswered = new Map<PeerName, number>()

  /** @param traits - with the wire number of asks; replies have the next, refusals the one after */
  constructor(
    owner: Owner,
    { name, kind, isReliable, refuses }: ChannelTraits & { readonly refuses?: boolean },
    { ask, reply }: Call,
    answer: Answer | undefined,
    edges?: PushPullTraits
  ) {
    this.name = name
    this.#movesBoth = edges !== undefined
    this.policy = edges === undefined ? new Plain(owner, this) : new PushPull(owner, this, edges)
    this.#isReliable = isReliable
    this.#owner = owner
    this.#asks = new Wire(owner, kind, ask, this.#movesBoth)
    this.#replies = new Wire(owner, kind + 1, reply, this.#movesBoth)
    this.#refusals = refuses === true ? new Wire(owner, kind + 2, {}) : undefined
    this.#answer = answer
  }

  request(to: PeerName, ask: Message): Promise<Message | undefined> {
    const { fabric, presence, timeout } = this.#owner
    const id = this.#nextId++
    const start = fabric.now()
    const awake = presence.members.awake(start)
    const open: Open = { id, to }
    this.#open = open
    const isSent = this.#send(to, id, ask)
    if (!isSent) this.#owner.unsent(to)
    const isGone = () => this.#refusals !== undefined && presence.members.isGone(to)
    const isOver = () => !isSent || open.isRefused === true || !this.policy.isAwaited(to) || isGone()
    const times = 2 ** (this.#unanswered.get(to) ?? 0)
    return this.#owner.until({
      isDone: () => open.reply !== undefined || isOver(),
      deadline: () => {
        if (this.#movesBoth && !presence.isAwaited(to)) return fabric.now()
        return presence.members.waits.untilReplied(to, awake, timeout, fabric.now(), times)
      },
      outcome: () => {
        this.#open = undefined
        this.#owner.waited(fabric.now() - start)
        const { reply } = open
        if (this.#movesBoth && isSent) this.#account(to, reply, this.policy.isAwaited(to), awake)
        if (reply !== undefined) this.policy.close(noPeers, ask, start)
        else if (!isOver() || !isSent) this.#continueWithout(to, ask, start, isSent)
        return reply
      }
    })
  }

  /** Charges the cost of this wait to the peer that was asked, if it has not replied. */
  #account(to: PeerName, reply: Message | undefined, isOpen: boolean, since: Milliseconds): void {
    const { presence, round, timeout, fabric } = this.#owner
    const without = reply === undefined ? [to] : []
    const { waits } = presence.members
    waits.ended({ round, from: [to] }, { without, skipped: isOpen ? [] : without }, since, timeout, fabric.now())
  }

  /** Returns whether the ask was sent. */
  #send(to: PeerName, id: number, ask: Message): boolean {
    const deliver: MessageDelivery['deliver'] = (_, header) => {
      const result = this.#asks.send(to, id, 0, ask, 0, header)
      if (result === 'unreachable') this.#owner.presence.markAbsent(to)
      return result === 'queued'
    }
    return this.policy.send(this.#route(id, [to], [to]), { deliver }).length === 0
  }

  #route(round: number, to: readonly PeerName[], from: readonly PeerName[]): Route {
    return { peer: this.#owner.fabric.self, round, to, from }
  }

  /** Continues without a reply, and no longer waits for it. */
  #continueWithout(to: PeerName, ask: Message, since: number, isSent: boolean): void {
    const { fabric, presence, timeout, round } = this.#owner
    this.#owner.missed([to])
    if (isSent && this.#refusals !== undefined) this.#unanswered.set(to, (this.#unanswered.get(to) ?? 0) + 1)
    this.policy.close([to], ask, since)
    if (!this.#movesBoth) presence.markAbsent(to)
    else {
      if (isSent) presence.note({ from: [to] }, [to])
      if (!presence.members.mayReturn && !presence.isAnyPresent([...this.#owner.neighbours]))
        throw noPeerLeft(fabric.self, [to], round, undefined)
    }
    if (!this.#isReliable) return
    const text = `${fabric.self} waited ${timeout} ms for ${to} to reply on ${this.name}: nothing arrived`
    throw new NeighboursMissingError([to], text)
  }

  /** Processes a part of an ask. */
  acceptAsk(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const { round: id } = message
    const ask = this.#opened(this.#asks, envelope)
    if (ask === undefined || ask === 'unusable') return
    if (this.#answer === undefined)
      return this.#owner.fabric.reject(envelope, `this peer answers no requests on ${this.name}`)
    const isOfLives = this.policy.step({ kind: 'asked', from, header: this.#asks.header })
    const isRefused = !isOfLives || this.#crosses(from) || !this.#isUsable(from, id, ask)
    const answered = isRefused ? undefined : this.#answer(ask, from)
    if (answered !== undefined) this.#reply(from, id, answered)
    else if (this.#refusals?.send(from, id, 0, {}) === undefined)
      this.policy.step({ kind: 'unanswered', from, tag: tagOf({ round: id }) })
  }

  /**
   * Whether an ask has crossed this peer's own and is the one of the two that is refused, which both ends know by their
   * names. If both were answered, both ends would move by the whole difference and exchange their states.
   */
  #crosses(from: PeerName): boolean {
    const open = this.#open
    if (!this.#movesBoth || open?.to !== from || open.reply !== undefined) return false
    return this.policy.isAwaited(from) && byName(this.#owner.fabric.self, from) < 0
  }

  #reply(from: PeerName, id: number, answered: Answered): void {
    const deliver: MessageDelivery['deliver'] = (to, header) => {
      return this.#replies.send(to, id, 0, answered.reply, 0, header) === 'queued'
    }
    const isSent = this.policy.send(this.#route(id, [from], noPeers), { deliver }).length === 0
    if (!isSent) this.#owner.unsent(from)
    if (isSent || !this.#movesBoth) answered.accept?.()
  }

  /** Processes a part of a reply. */
  acceptReply(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const open = this.#open
    const isOpen = open?.id === message.round
    if (isOpen && open.to !== from)
      return this.#owner.fabric.reject(envelope, `a reply to what was asked of ${open.to}`)
    const reply = this.policy.receive(envelope, !isOpen)
    if (reply === undefined || open === undefined) return
    this.#replies.pin(reply, 1)
    this.#replies.adopt(reply)
    open.reply = reply
  }

  /** A peer answers one request at a time. */
  hasRoom(): boolean {
    return true
  }

  drop(): void {}

  isDuplicate(): boolean {
    return false
  }

  read(envelope: Envelope<VectorMessage>): Message | 'unusable' | undefined {
    const { from, message } = envelope
    const reply = this.#opened(this.#replies, envelope)
    if (reply === undefined || (reply !== 'unusable' && this.#isUsable(from, message.round, reply))) return reply
    // It counts as one that will not arrive.
    const open = this.#open
    if (open?.to === from && open.id === message.round) open.isRefused = true
    return 'unusable'
  }

  get header(): EdgeHeader {
    return this.#replies.header
  }

  /** Whether a message can be computed with. */
  #isUsable(from: PeerName, id: number, message: Message): boolean {
    const problem = this.#owner.problemOf(from, message)
    if (problem !== undefined) this.#owner.refuse(from, id, problem)
    return problem === undefined
  }

  /** Processes a refusal: the wait for a reply ends at once. */
  acceptRefusal(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    if (this.#refusals === undefined || typeof this.#opened(this.#refusals, envelope) !== 'object') return
    const open = this.#open
    if (open?.to === from && open.id === message.round) open.isRefused = true
  }

  saved(messages: EarlyMessages): State {
    if (!this.#movesBoth) return { nextId: this.#nextId }
    // Files have the name `swaps`.
    const swaps = messages === 'with early' ? this.policy.state : withoutOpen(this.policy.state)
    return { nextId: this.#nextId, swaps }
  }

  restore({ nextId, swaps }: State): void {
    this.#nextId = nextId as number
    if (swaps !== undefined) this.policy.state = swaps as State
  }

  /** The message that this part completes, if it does; 'unusable' where it is its sender's fault. */
  #opened(wire: Wire, envelope: Envelope<VectorMessage>): Message | 'unusable' | undefined {
    const { from, message } = envelope
    const opened = wire.open(from, message.round, message)
    if (typeof opened === 'string') {
      this.#owner.fabric.reject(envelope, opened)
      return 'unusable'
    }
    this.#owner.presence.heard(from)
    return opened
  }
}
