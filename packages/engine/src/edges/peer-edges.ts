import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Handler } from '../messages/inbox.js'
import type { Owner } from '../messages/owner.js'
import { readControl } from './controls.js'
import type { ControlKinds, EdgeEvent, EdgePolicy } from './edge-policy.js'

const noPeers: readonly PeerName[] = []
const nothing: readonly ChannelEdges[] = []

/** The edges of a channel. */
interface ChannelEdges {
  readonly policy: EdgePolicy
  readonly kinds: ControlKinds
  /** Its messages have rounds below this. */
  readonly rounds: number
}

/** The edges of all channels of a peer. Handles their control messages. */
export class PeerEdges implements Handler {
  readonly #owner: Owner
  #all: readonly ChannelEdges[] = nothing

  constructor(owner: Owner) {
    this.#owner = owner
  }

  /** @param rounds - the channel's messages have rounds below this; those of the run when absent */
  add(policy: EdgePolicy, kinds: ControlKinds, rounds = this.#owner.rounds): void {
    this.#all = this.#all.concat({ policy, kinds, rounds })
  }

  /** Processes SKIP or WITHDRAW. */
  accept(envelope: Envelope<VectorMessage>): void {
    const { kind } = envelope.message
    const edges = this.#all.find(({ kinds }) => kinds.skip === kind || kinds.withdraw === kind)
    const event = edges && readControl(this.#owner, envelope, edges.kinds, edges.rounds)
    if (event !== undefined) edges?.policy.step(event)
  }

  /** The peers whose messages this peer has continued without and that have not arrived. */
  get owing(): readonly PeerName[] {
    if (this.#all.every(({ policy }) => policy.owing.length === 0)) return noPeers
    return [...new Set(this.#all.flatMap(({ policy }) => policy.owing.map(({ peer }) => peer)))]
  }

  /** A peer continues with another state: all open exchanges with it end. */
  newLife(peer: PeerName, life: number): void {
    // All begin with this one.
    if (life > 1) this.#step({ kind: 'life', peer, life })
  }

  /** This peer continues with another state. */
  beginLife(life: number): void {
    this.#step({ kind: 'life', peer: this.#owner.fabric.self, life })
  }

  /** While a peer pauses, it answers every sender that it does not take part. */
  pause(isPaused: boolean): void {
    this.#step({ kind: isPaused ? 'pause' : 'resume' })
  }

  /** No more rounds are collected: mass that has arrived or arrives enters the state. */
  leave(): void {
    this.#step({ kind: 'leave' })
  }

  /**
   * Repeats requests of a timeout ago: an edge with a debt is in no row, and both ends may wait for the other to use
   * it.
   */
  remindAll(): void {
    this.#step({ kind: 'remind' })
  }

  /**
   * Waits for what this peer continued without, as long as for any message. An answer may say that it will not arrive;
   * the dead are not waited for.
   */
  async settle(): Promise<void> {
    const { fabric, presence } = this.#owner
    const isSettled = () => this.owing.every((peer) => presence.isDead(peer))
    if (isSettled()) return
    const start = fabric.now()
    const until = this.#until
    this.#step({ kind: 'claim' })
    await this.#owner.until({
      isDone: isSettled,
      deadline: () => until,
      outcome: () => this.#owner.waited(fabric.now() - start)
    })
  }

  /** Until when the living that owe are waited for. */
  get #until(): Milliseconds {
    const { fabric, presence, timeout } = this.#owner
    const owed = this.#all.flatMap(({ policy }) => policy.owing).filter(({ peer }) => !presence.isDead(peer))
    return Math.max(fabric.now(), ...owed.map(({ since }) => since + timeout))
  }

  /** Answers other peers, which may still wait for this one or owe it a message, outside its own rounds. */
  async answer(until: Milliseconds): Promise<void> {
    this.pause(true)
    await this.#owner.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
    this.pause(false)
  }

  #step(event: EdgeEvent): void {
    for (const { policy } of this.#all) policy.step(event)
  }
}
