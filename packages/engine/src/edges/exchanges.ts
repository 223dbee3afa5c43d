import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message } from '../record/record.js'
import type { Owner } from '../messages/owner.js'

const noPeers: readonly PeerName[] = []
const nothing: readonly OpenEdges[] = []

/** The open exchanges of a channel. */
export interface OpenEdges {
  /** The peers whose messages this peer has continued without and that have not arrived. */
  readonly owing: readonly PeerName[]
  newLife(peer: PeerName, life: number): void
  beginLife(life: number): void
  pause(isPaused: boolean): void
  /** Asks all of `owing`. Returns until when to wait for answers of those that are not dead. */
  askAll(): Milliseconds
  /** Asks those of `owing` again that were asked a timeout ago. */
  remindAll(): void
  /** The flows of late messages. Their vectors belong to the current round from now on. */
  takeFlows(): readonly Flow<Message>[]
  /** Processes SKIP or WITHDRAW. */
  accept(envelope: Envelope<VectorMessage>): void
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

  /** The peers whose messages this peer has continued without and that have not arrived. */
  get owing(): readonly PeerName[] {
    if (this.#all.every(({ owing }) => owing.length === 0)) return noPeers
    return [...new Set(this.#all.flatMap(({ owing }) => owing))]
  }

  /** A peer continues with another state: all open exchanges with it end. */
  newLife(peer: PeerName, life: number): void {
    for (const edges of this.#all) edges.newLife(peer, life)
  }

  /** This peer continues with another state. */
  beginLife(life: number): void {
    for (const edges of this.#all) edges.beginLife(life)
  }

  /** While a peer pauses, it answers every sender that it does not take part. */
  pause(isPaused: boolean): void {
    for (const edges of this.#all) edges.pause(isPaused)
  }

  /** Repeats requests of a timeout ago: an edge with a debt is in no row, and both ends may wait for the other to use it. */
  remindAll(): void {
    for (const edges of this.#all) edges.remindAll()
  }

  /**
   * Waits for what this peer continued without, as long as for any message. An answer may say that it will not arrive; the dead are not waited for.
   */
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

  /** Answers other peers, which may still wait for this one or owe it a message, outside its own rounds. */
  async answer(until: Milliseconds): Promise<void> {
    this.pause(true)
    await this.#owner.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
    this.pause(false)
  }
}
