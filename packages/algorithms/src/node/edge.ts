import type { Milliseconds, PeerName } from '@murmuration/core'

const nobody: readonly PeerName[] = []

/** An exchange that one went on without: one's own message is sent, and the other end's has not come. */
export interface Debt<M> {
  readonly tag: number
  /** What was sent. A flow is of what was sent, not of what the state is by now. */
  readonly mine: M
  /** The weight that was offered, and the other end's where its message names none. */
  readonly offer: number
  readonly theirs: number
  /** Since when it is waited for. */
  readonly since: Milliseconds
  /** When the other end was last asked whether it will send, if it was. */
  asked: Milliseconds | undefined
}

/** One end of an edge. Tags only grow. */
export interface Edge<M> {
  /** Which life of the other end it is about. */
  life: number
  /** The last tag under which one's own message was sent. */
  said: number
  /** The last tag that the other end has answered with SKIP. */
  skipped: number
  /** Nothing is sent up to this tag: SKIP has been said. */
  silentUntil: number
  debt: Debt<M> | undefined
}

/** What to do with a message: keep it for its tag, mix it, apply it late, answer SKIP, or nothing. */
export type Verdict = 'keep' | 'mix' | 'late' | 'skip' | 'drop'

/**
 * One peer's side of its edges on one channel. It does no I/O and knows no vectors.
 *
 * Under a tag an end says its message (X) or SKIP, never both, and the edge is used if and only if both ends say X. Who goes on without the
 * other's X owes: it applies the same flow when the X comes, and nothing when SKIP comes. An edge that owes says no X, so that at most one
 * exchange of an edge is open. Every X that is not used is answered with SKIP, so that nobody waits for what does not come.
 * docs/decisions/0022-edges.md has the rules and what they keep.
 *
 * It relies on links that deliver in order and at most once: when something later has come of who owes, what was owed is lost.
 */
export class Edges<M> {
  /** This peer's own life. */
  life = 1
  /** The tag under which messages were sent last. */
  begun = -1
  /** Whether messages of that tag are still collected. */
  isOpen = false
  /** Whether everything is answered with SKIP: for a peer that pauses. */
  declines = false
  readonly #edges = new Map<PeerName, Edge<M>>()
  readonly #cancelled: (debt: Debt<M>) => void
  readonly #renewed: (peer: PeerName) => void
  #debts = 0

  /**
   * @param cancelled - is told of debts that will not be settled
   * @param renewed - is told of new lives: what is kept of a peer is of the one before
   */
  constructor(cancelled: (debt: Debt<M>) => void = () => {}, renewed: (peer: PeerName) => void = () => {}) {
    this.#cancelled = cancelled
    this.#renewed = renewed
  }

  /** Who has not sent yet what this peer has gone on without. */
  get owing(): readonly PeerName[] {
    if (this.#debts === 0) return nobody
    return [...this.#edges].filter(([, { debt }]) => debt !== undefined).map(([peer]) => peer)
  }

  /** How many edges owe. */
  get debts(): number {
    return this.#debts
  }

  begin(tag: number): void {
    this.begun = tag
    this.isOpen = true
  }

  /** Whether X may be said under the tag that has begun. */
  maySay({ debt, silentUntil }: Edge<M>): boolean {
    return debt === undefined && silentUntil < this.begun
  }

  /** X has been said. */
  say(edge: Edge<M>): void {
    edge.said = this.begun
  }

  hasSaid(to: PeerName): boolean {
    return this.of(to).said === this.begun
  }

  hasSkipped(from: PeerName): boolean {
    return this.of(from).skipped === this.begun
  }

  /** Whether a message is of this life of mine and of the sender's present one. A new life of the sender makes its edge anew. */
  isOfLives(from: PeerName, life: number, toLife: number): boolean {
    const known = this.of(from).life
    if (toLife !== this.life || life < known) return false
    if (life > known) this.newLife(from, life)
    return true
  }

  /** X has come. */
  come(from: PeerName, tag: number): Verdict {
    const edge = this.of(from)
    if (edge.debt?.tag === tag) return 'late'
    if (edge.debt !== undefined && edge.debt.tag < tag) this.#cancel(edge)
    if (tag > this.begun) return this.declines ? this.refuse(from, tag) : 'keep'
    if (edge.said !== tag) return 'skip'
    return tag === this.begun && this.isOpen && edge.skipped !== tag ? 'mix' : 'drop'
  }

  /** An X of a tag to come has no place here: it is answered with SKIP, so mine will not be said. */
  refuse(from: PeerName, tag: number): 'skip' {
    const edge = this.of(from)
    if (tag > edge.silentUntil) edge.silentUntil = tag
    return 'skip'
  }

  /** SKIP has come. What was never said needs none, and changes nothing. Returns the debt that it cancels. */
  skip(from: PeerName, tag: number): Debt<M> | undefined {
    const edge = this.of(from)
    if (edge.said === tag) edge.skipped = tag
    const { debt } = edge
    if (debt?.tag !== tag) return undefined
    this.#cancel(edge)
    return debt
  }

  /** WITHDRAW has come: whether to answer SKIP. Who has said X does not, since X is on its way. */
  withdraw(from: PeerName, tag: number): boolean {
    const edge = this.of(from)
    // X was said before WITHDRAW, and has not come: it is lost.
    if (edge.debt !== undefined && edge.debt.tag <= tag) this.#cancel(edge)
    if (tag <= edge.said) return false
    if (tag > this.begun) this.refuse(from, tag)
    return true
  }

  /** Goes on without the X of an edge that has said its own. */
  owe(to: PeerName, debt: Debt<M>): void {
    this.of(to).debt = debt
    this.#debts++
  }

  /** The debt whose X has come. It is settled. */
  settle(from: PeerName): Debt<M> | undefined {
    const edge = this.of(from)
    const { debt } = edge
    if (debt !== undefined) this.#debts--
    edge.debt = undefined
    return debt
  }

  /** The other end has lost its state, and with it what was open on the edge. */
  newLife(peer: PeerName, life: number): void {
    const edge = this.of(peer)
    if (edge.debt !== undefined) this.#cancel(edge)
    this.#edges.set(peer, newEdge(life))
    this.#renewed(peer)
  }

  /** This peer has lost its own state. */
  beginLife(life: number): void {
    this.life = life
    for (const [peer, edge] of this.#edges) this.newLife(peer, edge.life)
  }

  /** This end of the edge to a peer. */
  of(peer: PeerName): Edge<M> {
    let edge = this.#edges.get(peer)
    if (edge === undefined) this.#edges.set(peer, (edge = newEdge(1)))
    return edge
  }

  /** All edges, in no order. */
  entries(): Iterable<[PeerName, Edge<M>]> {
    return this.#edges.entries()
  }

  /** Puts back what `entries` gave. */
  restore(peer: PeerName, edge: Edge<M>): void {
    this.#edges.set(peer, edge)
    if (edge.debt !== undefined) this.#debts++
  }

  #cancel(edge: Edge<M>): void {
    const { debt } = edge
    if (debt === undefined) return
    edge.debt = undefined
    this.#debts--
    this.#cancelled(debt)
  }
}

function newEdge<M>(life: number): Edge<M> {
  return { life, said: -1, skipped: -1, silentUntil: -1, debt: undefined }
}
