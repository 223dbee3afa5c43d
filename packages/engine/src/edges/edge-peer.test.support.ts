/** A peer of the model: acts on plain data as Symmetric does, with the decisions of {@link Edges}. */
import type { PeerName } from '@murmuration/core'
import type { Debt, Edge, Edges } from './edge.js'

export type ByName<T> = Readonly<Record<string, T>>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface Letter {
  readonly kind: 'X' | 'SKIP' | 'WITHDRAW'
  readonly round: number
  readonly life: number
  readonly toLife: number
  readonly offer: number
}

/** A peer as plain data. */
export interface Plain {
  readonly round: number
  readonly isWaiting: boolean
  readonly isPaused: boolean
  readonly life: number
  readonly begun: number
  readonly isOpen: boolean
  readonly edges: ByName<Edge<number>>
  /** The offers that have arrived, by sender and round. */
  readonly kept: ByName<Readonly<Record<number, number>>>
  /** The offer in the current round. */
  readonly offer: number
  /** The weights used, by neighbour and round, in the present lives of both. */
  readonly used: ByName<Readonly<Record<number, number>>>
  /** The rounds in which X was sent, by neighbour. */
  readonly said: ByName<readonly number[]>
}

/** One peer during one action. */
export class ModelPeer {
  readonly sent: { readonly to: PeerName; readonly letter: Letter }[] = []
  readonly #plain: Mutable<Plain>
  readonly #edges: Edges<number>
  readonly #weightOf: (mine: number, theirs: number) => number

  constructor(plain: Plain, edges: Edges<number>, weightOf: (mine: number, theirs: number) => number) {
    this.#plain = { ...plain }
    this.#edges = edges
    this.#weightOf = weightOf
    edges.life = plain.life
    edges.currentTag = plain.begun
    edges.isOpen = plain.isOpen
    edges.declines = plain.isPaused
    for (const [name, edge] of Object.entries(plain.edges)) edges.restore(name as PeerName, { ...edge })
  }

  plain(): Plain {
    const { life, currentTag: begun, isOpen } = this.#edges
    const edges = [...this.#edges.entries()].sort(([left], [right]) => (left < right ? -1 : 1))
    return { ...this.#plain, life, begun, isOpen, edges: Object.fromEntries(edges) }
  }

  begin(chosen: readonly PeerName[]): void {
    const { round } = this.#plain
    this.#plain.isWaiting = true
    this.#plain.offer = 1 / (1 + chosen.length)
    this.#edges.begin(round)
    for (const to of chosen) {
      if (!this.#edges.maySend(this.#edges.of(to))) continue
      this.#edges.markSent(this.#edges.of(to))
      this.#plain.said = { ...this.#plain.said, [to]: [...(this.#plain.said[to] ?? []), round] }
      this.#send(to, 'X', round)
    }
    this.#forget((from, at) => at <= round && !(at === round && this.#edges.hasSent(from)))
  }

  receive(from: PeerName, { kind, round, life, toLife, offer }: Letter): void {
    const before = this.#edges.of(from).life
    if (!this.#edges.isOfLives(from, life, toLife)) return
    if (life !== before) this.#reset(from)
    if (kind === 'X') this.#receiveX(from, round, offer)
    if (kind === 'SKIP') this.#edges.skip(from, round)
    if (kind === 'WITHDRAW') {
      this.#edges.withdraw(from, round)
      if (round > this.#edges.currentTag) this.#take(from, round)
      this.#send(from, 'SKIP', round)
    }
  }

  lacking(): readonly PeerName[] {
    const { round } = this.#plain
    return [...this.#edges.entries()]
      .map(([name]) => name)
      .filter((name) => this.#edges.hasSent(name) && !this.#edges.hasSkipped(name))
      .filter((name) => this.#plain.kept[name]?.[round] === undefined)
  }

  /** @param asks - whether lacking peers are sent WITHDRAW, which they answer with SKIP */
  end(asks: boolean): void {
    const { round, offer } = this.#plain
    for (const name of this.lacking()) {
      this.#edges.owe(name, {
        tag: round,
        mine: 0,
        offer,
        theirs: offer,
        since: 0,
        askedAt: undefined
      } satisfies Debt<number>)
      if (asks) this.#send(name, 'WITHDRAW', round)
    }
    for (const [name] of this.#edges.entries()) {
      const theirs = this.#take(name, round)
      if (theirs !== undefined) this.#use(name, round, this.#weightOf(offer, theirs))
    }
    this.#edges.isOpen = false
    this.#plain.isWaiting = false
    this.#plain.round = round + 1
  }

  pause(isPaused: boolean): void {
    this.#plain.isPaused = isPaused
    this.#edges.declines = isPaused
    if (isPaused) this.#forget((from, at) => at > this.#edges.currentTag && this.#edges.refuse(from, at) === 'skip')
  }

  newLife(peer: PeerName, life: number): void {
    this.#edges.newLife(peer, life)
    this.#reset(peer)
  }

  #receiveX(from: PeerName, round: number, offer: number): void {
    const verdict = this.#edges.receive(from, round)
    if (verdict === 'skip') this.#send(from, 'SKIP', round)
    if (verdict === 'keep' || verdict === 'mix')
      this.#plain.kept = { ...this.#plain.kept, [from]: { ...this.#plain.kept[from], [round]: offer } }
    if (verdict !== 'late') return
    const debt = this.#edges.settle(from) as Debt<number>
    this.#use(from, round, this.#weightOf(debt.offer, offer))
  }

  #use(name: PeerName, round: number, weight: number): void {
    this.#plain.used = { ...this.#plain.used, [name]: { ...this.#plain.used[name], [round]: weight } }
  }

  /** Answers kept messages that will not be used with SKIP. */
  #forget(isOver: (from: PeerName, round: number) => boolean): void {
    for (const [name, rounds] of Object.entries(this.#plain.kept)) {
      const from = name as PeerName
      for (const round of Object.keys(rounds).map(Number)) {
        if (!isOver(from, round)) continue
        this.#take(from, round)
        this.#send(from, 'SKIP', round)
      }
    }
  }

  #take(from: PeerName, round: number): number | undefined {
    const { [round]: offer, ...others } = this.#plain.kept[from] ?? {}
    if (offer !== undefined) this.#plain.kept = { ...this.#plain.kept, [from]: others }
    return offer
  }

  #reset(peer: PeerName): void {
    this.#plain.kept = { ...this.#plain.kept, [peer]: {} }
    this.#plain.used = { ...this.#plain.used, [peer]: {} }
    this.#plain.said = { ...this.#plain.said, [peer]: [] }
  }

  #send(to: PeerName, kind: Letter['kind'], round: number): void {
    const { life } = this.#edges
    const toLife = this.#edges.of(to).life
    this.sent.push({ to, letter: { kind, round, life, toLife, offer: kind === 'X' ? this.#plain.offer : 0 } })
  }
}

export function freshPeer(life: number, round: number): Plain {
  const none = { edges: {}, kept: {}, used: {}, said: {} }
  return { round, isWaiting: false, isPaused: false, life, begun: round - 1, isOpen: false, offer: 0, ...none }
}

export function edgeOfLife(life: number): Edge<number> {
  return { life, sentTag: -1, skippedTag: -1, silentUntil: -1, debt: undefined }
}
