import {
  type Envelope,
  type Fabric,
  invariant,
  type Milliseconds,
  type PeerName,
  type Receiver
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { SmallList } from '../vectors/small-list.js'
import type { Expectation } from './owner.js'

/**
 * Processes the messages of some kinds. Channels do so themselves: a closure for each kind would cost every peer
 * memory.
 */
export interface Handler {
  accept(envelope: Envelope<VectorMessage>): void
}

/** How many kinds of messages a peer usually has. */
const usualKinds = 8

const noPeers: readonly PeerName[] = []

/** Hands messages to their handlers while the peer waits for something. */
export class Inbox implements Receiver<VectorMessage> {
  /** By kind. */
  readonly handlers = new SmallList<Handler>(usualKinds)
  readonly #fabric: Fabric<VectorMessage>
  #expectation: Expectation<unknown> | undefined
  #since: Milliseconds = 0
  /** The deadline of the current wait. */
  #until: Milliseconds = 0

  constructor(fabric: Fabric<VectorMessage>) {
    this.#fabric = fabric
  }

  /** The peers that are waited for now. */
  get awaited(): readonly PeerName[] {
    return this.#expectation?.awaited?.() ?? noPeers
  }

  /** How long peers have been waited for since the current wait began. */
  get waiting(): Milliseconds {
    return this.awaited.length > 0 ? this.#fabric.now() - this.#since : 0
  }

  /** See `Owner.until`. Most waits are one `receive`: an async function for it would cost every waiting peer memory. */
  until<Outcome>(expectation: Expectation<Outcome>): Promise<Outcome> {
    invariant(
      this.#expectation === undefined,
      () => `${this.#fabric.self} waits for two things at once; await one after the other`
    )
    this.#expectation = expectation
    this.#since = this.#fabric.now()
    if (expectation.isDone()) return new Promise((resolve) => resolve(this.#end(expectation)))
    this.#until = expectation.deadline()
    return this.#fabric.receive(this.#until, this).then(this.#received, this.#failed) as Promise<Outcome>
  }

  /** Processes a message during the current wait. */
  take(envelope: Envelope<VectorMessage>): Milliseconds | undefined {
    this.#accept(envelope)
    const expectation = this.#expectation
    if (expectation === undefined || expectation.isDone()) return undefined
    return (this.#until = expectation.deadline())
  }

  /** The first `receive` of a wait has ended. */
  readonly #received = (envelope: Envelope<VectorMessage> | undefined): unknown => {
    const expectation = this.#expectation as Expectation<unknown>
    return this.#isOver(expectation, envelope) ? this.#end(expectation) : this.#receiveMore(expectation)
  }

  readonly #failed = (error: unknown): never => {
    this.#expectation = undefined
    throw error
  }

  async #receiveMore(expectation: Expectation<unknown>): Promise<unknown> {
    try {
      do this.#until = expectation.deadline()
      while (!this.#isOver(expectation, await this.#fabric.receive(this.#until, this)))
    } catch (error) {
      this.#failed(error)
    }
    return this.#end(expectation)
  }

  /** Processes what a `receive` has returned. Returns whether the wait is over. */
  #isOver(expectation: Expectation<unknown>, envelope: Envelope<VectorMessage> | undefined): boolean {
    if (envelope !== undefined) this.#accept(envelope)
    else if (this.#hasPassed(expectation)) return true
    return expectation.isDone()
  }

  /** Whether the deadline has passed; what was learned meanwhile may have extended it. */
  #hasPassed(expectation: Expectation<unknown>): boolean {
    if (this.#fabric.now() < this.#until) return false
    // A deadline may be the current time, and the clock advances.
    const deadline = expectation.deadline()
    return this.#fabric.now() >= deadline
  }

  #end<Outcome>(expectation: Expectation<Outcome>): Outcome | Promise<Outcome> {
    this.#expectation = undefined
    return expectation.outcome()
  }

  #accept(envelope: Envelope<VectorMessage>): void {
    const { kind } = envelope.message
    const handler = this.handlers.at(kind)
    if (handler === undefined) this.#fabric.reject(envelope, `a message of kind ${kind}, which no channel has`)
    else handler.accept(envelope)
  }
}
