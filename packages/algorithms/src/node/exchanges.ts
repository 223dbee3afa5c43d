import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message } from '../record.js'
import type { Owner } from './owner.js'

const nobody: readonly PeerName[] = []
const nothing: readonly OpenEdges[] = []

/** What is open with others on a channel. */
export interface OpenEdges {
  /** Who has not sent yet what this peer has gone on without. */
  readonly owing: readonly PeerName[]
  newLife(peer: PeerName, life: number): void
  beginLife(life: number): void
  pause(isPaused: boolean): void
  /** Asks all of `owing`. Returns until when it makes sense to wait for answers of those that are not dead. */
  askAll(): Milliseconds
  /** Asks those of `owing` again that were asked a timeout ago. */
  remindAll(): void
  /** What has come late. It is the round's from now on. */
  takeFlows(): readonly Flow<Message>[]
  acceptSkip(envelope: Envelope<VectorMessage>): void
  acceptWithdraw(envelope: Envelope<VectorMessage>): void
}

/** The exchanges of all channels of a peer. */
export class Exchanges {
  readonly #owner: Owner
  #all: readonly OpenEdges[] = nothing

  constructor(owner: Owner) {
    this.#owner = owner
  }

  add(edges: OpenEdges): void {
    this.#all = this.#all.concat(edges)
  }

  /** Who has not sent yet what this peer has gone on without. */
  get owing(): readonly PeerName[] {
    if (this.#all.every(({ owing }) => owing.length === 0)) return nobody
    return [...new Set(this.#all.flatMap(({ owing }) => owing))]
  }

  /** A peer goes on with another state than it had: what was open with it is over. */
  newLife(peer: PeerName, life: number): void {
    for (const edges of this.#all) edges.newLife(peer, life)
  }

  /** This peer goes on with another state than it had. */
  beginLife(life: number): void {
    for (const edges of this.#all) edges.beginLife(life)
  }

  /** While a peer pauses it tells all that send that it does not take part. */
  pause(isPaused: boolean): void {
    for (const edges of this.#all) edges.pause(isPaused)
  }

  /** Asks again what was asked a timeout ago: an edge that owes is in nobody's row, and both ends may wait for the other to use it. */
  remindAll(): void {
    for (const edges of this.#all) edges.remindAll()
  }

  /** Waits for what this peer went on without, as long as for any message; an answer may say that it does not come, and nothing comes of the dead. */
  async settle(): Promise<void> {
    const { fabric, presence } = this.#owner
    const isSettled = () => this.owing.every((peer) => presence.isDead(peer))
    if (isSettled()) return
    const start = fabric.now()
    const until = Math.max(...this.#all.map((edges) => edges.askAll()))
    await this.#owner.until({
      isDone: isSettled,
      deadline: () => until,
      outcome: () => this.#owner.waited(fabric.now() - start)
    })
  }

  /** Answers others, which may still wait for this peer or owe it something, without a round of its own. */
  async answer(until: Milliseconds): Promise<void> {
    this.pause(true)
    await this.#owner.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
    this.pause(false)
  }
}
