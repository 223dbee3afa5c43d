import type { Mixing as Row, PeerName } from '@murmuration/core'
import type { Mixing } from '../record.js'

/** A peer's row and column of W, made ready for the rounds that share them. */
class Weights {
  readonly own: number
  readonly offer: number | undefined
  readonly to: readonly PeerName[]
  readonly from: readonly PeerName[]
  readonly rows = new Map<PeerName, number>()
  readonly columns = new Map<PeerName, number>()

  constructor({ selfWeight, receiveFrom, sendTo, offer }: Row) {
    this.own = selfWeight
    this.offer = offer
    this.to = sendTo.map(({ name }) => name)
    this.from = receiveFrom.map(({ name }) => name)
    for (const { name, weight } of receiveFrom) this.rows.set(name, weight)
    for (const { name, weight } of sendTo) this.columns.set(name, weight)
  }
}

/** One's row and column of W in a round. */
class MixingRoute implements Mixing {
  readonly #weights: Weights
  readonly #all: Mixings

  constructor(
    readonly peer: PeerName,
    readonly round: number,
    weights: Weights,
    all: Mixings
  ) {
    this.#weights = weights
    this.#all = all
  }

  get offer(): number | undefined {
    return this.#weights.offer
  }

  get own(): number {
    return this.#weights.own
  }

  get to(): readonly PeerName[] {
    return this.#weights.to
  }

  get from(): readonly PeerName[] {
    return this.#weights.from
  }

  row(j: PeerName): number {
    return this.#weights.rows.get(j) ?? 0
  }

  column(j: PeerName): number {
    return this.#weights.columns.get(j) ?? 0
  }

  filed(j: PeerName): number {
    return this.#all.filed(this.round).columns.get(j) ?? 0
  }

  get filedTo(): readonly PeerName[] {
    return this.#all.filed(this.round).to
  }

  get filedFrom(): readonly PeerName[] {
    return this.#all.filed(this.round).from
  }
}

/** The mixing of each round, and all neighbours of the rounds that were asked for. */
export class Mixings {
  readonly neighbours = new Set<PeerName>()
  /** Rows in place of the topology's, where not all peers can be used; the topology's own where they are the same. */
  repaired: ((round: number) => Row) | undefined
  readonly #peer: PeerName
  readonly #rowOf: (round: number) => Row
  readonly #known = new Map<Row, Weights>()
  /** What was asked for last. A round keeps what it began with, also where it is over only some rounds later. */
  #now: Mixing | undefined
  /** The last row: often the next one too. */
  #last: { readonly row: Row; readonly weights: Weights } | undefined

  constructor(peer: PeerName, rowOf: (round: number) => Row) {
    this.#peer = peer
    this.#rowOf = rowOf
  }

  of(round: number): Mixing {
    if (this.#now?.round === round) return this.#now
    const row = this.repaired === undefined ? this.#rowOf(round) : this.repaired(round)
    return (this.#now = new MixingRoute(this.#peer, round, this.#weightsOf(row), this))
  }

  /** What the topology says of a round. */
  filed(round: number): Weights {
    return this.#weightsOf(this.#rowOf(round))
  }

  #weightsOf(row: Row): Weights {
    if (this.#last?.row !== row) this.#last = { row, weights: this.#known.get(row) ?? this.#learn(row) }
    return this.#last.weights
  }

  #learn(row: Row): Weights {
    const weights = new Weights(row)
    // A topology that makes its rows anew each time is not kept.
    if (this.#known.size >= 1024) this.#known.clear()
    this.#known.set(row, weights)
    for (const name of [...weights.to, ...weights.from]) this.neighbours.add(name)
    return weights
  }
}
