import type { Milliseconds, PeerName } from '@murmuration/core'

const noPeers: readonly PeerName[] = []

/** An exchange that one end continued without: its own message is sent, and the other end's has not arrived. */
export interface Debt<M> {
  readonly tag: number
  /** What was sent. A flow applies to what was sent, not to the current state. */
  readonly mine: M
  /** The weight that was offered, and the other end's where its message names none. */
  readonly offer: number
  readonly theirs: number
  /** Since when it is awaited. */
  readonly since: Milliseconds
  /** When the other end was last asked whether it will send; undefined if never. */
  askedAt: Milliseconds | undefined
}

/** One end of an edge. Tags only grow. */
export interface Edge<M> {
  /** The life of the other end that this edge belongs to. */
  life: number
  /** The last tag under which this peer's message was sent. */
  sentTag: number
  /** The last tag that the other end has answered with SKIP. */
  skippedTag: number
  /** No X is sent up to this tag: SKIP was sent. */
  silentUntil: number
  debt: Debt<M> | undefined
}

/** The channel to which the edges belong. */
export interface EdgesListener<M> {
  /** A debt will not be settled. */
  cancelled(debt: Debt<M>): void
  /** A peer has a new life: what is kept of it belongs to the previous one. */
  renewed?(peer: PeerName): void
}

/** What to do with a message: keep it for its tag, mix it, apply it late, answer with SKIP, or drop it. */
export type Verdict = 'keep' | 'mix' | 'late' | 'skip' | 'drop'

/**
 * One peer's side of its edges on one channel. It does no I/O and knows no vectors.
 *
 * Under a tag an end sends its message (X) or SKIP, and the edge is used if and only if both ends send X. An end that
 * continues without the other's X has a debt, and asks for it with WITHDRAW: it applies the same flow when X arrives,
 * and nothing when SKIP arrives. While an edge has a debt, no X is sent on it, so at most one exchange of an edge is
 * open. Every X that is not used, and every WITHDRAW, is answered with SKIP, so no peer waits for a message that will
 * not arrive. Only there SKIP follows an X of its tag, and says that it has arrived or is lost.
 * docs/change/decisions/edges.md has the rules and their invariants.
 *
 * It relies on links that deliver in order and at most once: when something later arrives from a peer with a debt, what
 * it owed is lost.
 */
export class Edges<M> {
  /** This peer's life. */
  life = 1
  /** The tag under which messages were last sent. */
  currentTag = -1
  /** Whether messages of that tag are still collected. */
  isOpen = false
  /** Whether every message is answered with SKIP, while the peer is paused. */
  declines = false
  readonly #edges = new Map<PeerName, Edge<M>>()
  readonly #listener: EdgesListener<M> | undefined
  #debts = 0

  constructor(listener?: EdgesListener<M>) {
    this.#listener = listener
  }

  /** The peers whose messages this peer has continued without and that have not arrived. */
  get owing(): readonly PeerName[] {
    if (this.#debts === 0) return noPeers
    return [...this.#edges].filter(([, { debt }]) => debt !== undefined).map(([peer]) => peer)
  }

  /** How many edges have a debt. */
  get debts(): number {
    return this.#debts
  }

  begin(tag: number): void {
    this.currentTag = tag
    this.isOpen = true
  }

  /** Whether X may be sent under the current tag. */
  maySend({ debt, silentUntil }: Edge<M>): boolean {
    return debt === undefined && silentUntil < this.currentTag
  }

  /** X was sent. */
  markSent(edge: Edge<M>): void {
    edge.sentTag = this.currentTag
  }

  hasSent(to: PeerName): boolean {
    return this.of(to).sentTag === this.currentTag
  }

  hasSkipped(from: PeerName): boolean {
    return this.of(from).skippedTag === this.currentTag
  }

  /**
   * Whether a message belongs to this peer's life and the sender's newest one. A new life of the sender resets its
   * edge.
   */
  isOfLives(from: PeerName, life: number, toLife: number): boolean {
    const knownLife = this.of(from).life
    if (toLife !== this.life || life < knownLife) return false
    if (life > knownLife) this.newLife(from, life)
    return true
  }

  /** X has arrived. */
  receive(from: PeerName, tag: number): Verdict {
    const edge = this.of(from)
    if (edge.debt?.tag === tag) return 'late'
    if (edge.debt !== undefined && edge.debt.tag < tag) this.#cancel(edge)
    if (tag > this.currentTag) return this.declines ? this.refuse(from, tag) : 'keep'
    if (edge.sentTag !== tag) return 'skip'
    return tag === this.currentTag && this.isOpen && edge.skippedTag !== tag ? 'mix' : 'drop'
  }

  /** Refuses an X of a future tag, which is answered with SKIP; so this peer will not send X under that tag. */
  refuse(from: PeerName, tag: number): 'skip' {
    const edge = this.of(from)
    if (tag > edge.silentUntil) edge.silentUntil = tag
    return 'skip'
  }

  /** SKIP has arrived. Without an X sent under its tag it changes nothing. Returns the debt that it cancels. */
  skip(from: PeerName, tag: number): Debt<M> | undefined {
    const edge = this.of(from)
    if (edge.sentTag === tag) edge.skippedTag = tag
    const { debt } = edge
    if (debt?.tag !== tag) return undefined
    this.#cancel(edge)
    return debt
  }

  /**
   * WITHDRAW has arrived. It is answered with SKIP, also where X was sent: an X that is in flight arrives before the
   * SKIP, and is applied; if it does not, it is lost.
   */
  withdraw(from: PeerName, tag: number): void {
    const edge = this.of(from)
    // X was sent before WITHDRAW and has not arrived: it is lost.
    if (edge.debt !== undefined && edge.debt.tag <= tag) this.#cancel(edge)
    if (tag > Math.max(edge.sentTag, this.currentTag)) this.refuse(from, tag)
  }

  /** Continues without the X of an edge on which this peer has sent its own. */
  owe(to: PeerName, debt: Debt<M>): void {
    this.of(to).debt = debt
    this.#debts++
  }

  /** Settles the debt whose X has arrived, and returns it. */
  settle(from: PeerName): Debt<M> | undefined {
    const edge = this.of(from)
    const { debt } = edge
    if (debt !== undefined) this.#debts--
    edge.debt = undefined
    return debt
  }

  /** The other end has lost its state, and with it the open exchange of the edge. */
  newLife(peer: PeerName, life: number): void {
    const edge = this.of(peer)
    if (edge.debt !== undefined) this.#cancel(edge)
    this.#edges.set(peer, newEdge(life))
    this.#listener?.renewed?.(peer)
  }

  /** This peer has lost its state. */
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

  /** All edges, in no particular order. */
  entries(): Iterable<[PeerName, Edge<M>]> {
    return this.#edges.entries()
  }

  /** Restores what `entries` returned. */
  restore(peer: PeerName, edge: Edge<M>): void {
    this.#edges.set(peer, edge)
    if (edge.debt !== undefined) this.#debts++
  }

  #cancel(edge: Edge<M>): void {
    const { debt } = edge
    if (debt === undefined) return
    edge.debt = undefined
    this.#debts--
    this.#listener?.cancelled(debt)
  }
}

function newEdge<M>(life: number): Edge<M> {
  return { life, sentTag: -1, skippedTag: -1, silentUntil: -1, debt: undefined }
}
