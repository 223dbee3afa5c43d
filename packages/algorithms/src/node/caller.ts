import { type Envelope, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Call, Message, Requests, State } from '../record.js'
import type { ChannelTraits, Owner } from './owner.js'
import { Wire } from './wire.js'

/** Gives the reply to what was asked of this peer; at once, or never. */
export type Answer = (ask: Message, from: PeerName) => Message | undefined

/** A channel of requests. */
export class Caller implements Requests<Message, Message> {
  readonly name: string
  readonly #isReliable: boolean
  readonly #owner: Owner
  readonly #asks: Wire
  readonly #replies: Wire
  readonly #answer: Answer | undefined
  #nextId = 0
  #open: { readonly id: number; readonly to: PeerName; reply: Message | undefined } | undefined

  /** @param traits - with the number of asks; that of replies is the next */
  constructor(
    owner: Owner,
    { name, kind, isReliable }: ChannelTraits,
    { ask, reply }: Call,
    answer: Answer | undefined
  ) {
    this.name = name
    this.#isReliable = isReliable
    this.#owner = owner
    this.#asks = new Wire(owner, kind, ask)
    this.#replies = new Wire(owner, kind + 1, reply)
    this.#answer = answer
  }

  request(to: PeerName, ask: Message): Promise<Message | undefined> {
    const { fabric, presence, timeout } = this.#owner
    const id = this.#nextId++
    const start = fabric.now()
    const open = { id, to, reply: undefined as Message | undefined }
    this.#open = open
    const isSent = this.#asks.send(to, id, 0, ask) === 'queued'
    if (!isSent) this.#owner.unsent(to)
    return this.#owner.until({
      isDone: () => !isSent || open.reply !== undefined,
      deadline: () => start + timeout,
      outcome: () => {
        this.#open = undefined
        this.#owner.waited(fabric.now() - start)
        if (open.reply !== undefined) return open.reply
        presence.lose(to)
        this.#owner.missed([to])
        if (!this.#isReliable) return undefined
        const text = `${fabric.self} waited ${timeout} ms for ${to} to reply on ${this.name}: nothing came`
        throw new NeighboursMissingError([to], text)
      }
    })
  }

  /** Takes in a part of an ask. */
  acceptAsk(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const ask = this.#opened(this.#asks, envelope)
    if (ask === undefined) return
    if (this.#answer === undefined) return this.#owner.fabric.reject(envelope, `nobody answers on ${this.name} here`)
    const reply = this.#answer(ask, from)
    if (reply === undefined) return
    const result = this.#replies.send(from, message.round, 0, reply)
    if (result !== 'queued') this.#owner.unsent(from)
  }

  /** Takes in a part of a reply. */
  acceptReply(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const open = this.#open
    if (open === undefined || open.id !== message.round) return this.#owner.fabric.recycle(message)
    if (open.to !== from) return this.#owner.fabric.reject(envelope, `a reply to what was asked of ${open.to}`)
    const reply = this.#opened(this.#replies, envelope)
    if (reply === undefined) return
    this.#replies.pin(reply, 1)
    this.#replies.adopt(reply)
    open.reply = reply
  }

  saved(): State {
    return { nextId: this.#nextId }
  }

  restore({ nextId }: State): void {
    this.#nextId = nextId as number
  }

  #opened(wire: Wire, envelope: Envelope<VectorMessage>): Message | undefined {
    const { from, message } = envelope
    const opened = wire.open(from, message.round, message)
    if (typeof opened === 'string') {
      this.#owner.fabric.reject(envelope, opened)
      return undefined
    }
    this.#owner.presence.heard(from)
    return opened
  }
}
