import type { PeerName } from '@murmuration/core'
import { headerNumbers } from '../messages/header.js'
import { partsPerRound } from '../messages/message-buffer.js'
import type { Owner } from '../messages/owner.js'
import type { Flow, Message, State } from '../record/record.js'
import { sendControl } from './controls.js'
import type { Debt, Edges } from './edge.js'
import { type ControlKinds, noFlows } from './edge-policy.js'
import { restoreEdges, savedEdges } from './saved-edges.js'

/** The open exchanges of edges: asked for again, kept, and settled when the message arrives late. */
export class Debts {
  readonly #owner: Owner
  readonly #edges: Edges<Message>
  readonly #kinds: ControlKinds
  #flows = noFlows

  constructor(owner: Owner, edges: Edges<Message>, kinds: ControlKinds) {
    this.#owner = owner
    this.#edges = edges
    this.#kinds = kinds
  }

  /** The lives of both ends, as sent. */
  livesTo(peer: PeerName): readonly number[] {
    return headerNumbers({ life: this.#edges.life, toLife: this.#edges.of(peer).life })
  }

  send(kind: keyof ControlKinds, to: PeerName, tag: number): void {
    sendControl(this.#owner, this.#kinds[kind], to, tag, this.livesTo(to))
  }

  /**
   * Continues without a message. If it was not waited for, it may still be in flight, so it is not asked for at once.
   */
  owe(to: PeerName, debt: Omit<Debt<Message>, 'askedAt'>): void {
    this.#owner.arena.pin(debt.mine, 1)
    this.#edges.owe(to, { ...debt, askedAt: undefined })
    if (this.#owner.presence.isAwaited(to)) this.#ask(to)
  }

  /** Asks again if the last request was a timeout ago: it may be lost. */
  remind(to: PeerName): void {
    const { fabric, timeout } = this.#owner
    const { debt } = this.#edges.of(to)
    if (debt !== undefined && fabric.now() - (debt.askedAt ?? debt.since) >= timeout) this.#ask(to)
  }

  remindAll(): void {
    for (const peer of this.#edges.owing) this.remind(peer)
  }

  askAll(): void {
    for (const peer of this.#edges.owing) this.#ask(peer)
  }

  /**
   * A late message has arrived: it becomes a flow of this weight, unless it cannot be computed with. Returns the debt,
   * which is settled.
   */
  settle(from: PeerName, theirs: Message, weightOf: (debt: Debt<Message>) => number): Debt<Message> | undefined {
    const debt = this.#edges.settle(from)
    if (debt === undefined) return undefined
    const round = Math.floor(debt.tag / partsPerRound)
    const problem = this.#owner.problemOf(from, theirs)
    if (problem !== undefined) {
      this.#owner.arena.pin(debt.mine, -1)
      this.#owner.refuse(from, round, problem)
      return debt
    }
    this.#owner.arena.pin(theirs, 1)
    this.#flows = [...this.#flows, { from, round, weight: weightOf(debt), mine: debt.mine, theirs }]
    return debt
  }

  /** The flows of late messages, in the order of arrival. Their vectors belong to the current round from now on. */
  takeFlows(): readonly Flow<Message>[] {
    if (this.#flows.length === 0) return noFlows
    const flows = this.#flows
    this.#flows = noFlows
    for (const { mine, theirs } of flows) {
      this.#owner.arena.pin(mine, -1)
      this.#owner.arena.pin(theirs, -1)
    }
    return flows
  }

  get saved(): State {
    return savedEdges(this.#edges)
  }

  restore(state: State): void {
    restoreEdges(this.#edges, state, this.#owner.fabric.now())
    for (const [, { debt }] of this.#edges.entries()) if (debt !== undefined) this.#owner.arena.pin(debt.mine, 1)
  }

  #ask(to: PeerName): void {
    const { debt } = this.#edges.of(to)
    if (debt === undefined) return
    debt.askedAt = this.#owner.fabric.now()
    this.send('withdraw', to, debt.tag)
  }
}
