import type { Fabric, Mixing as Row, PeerName } from '@murmuration/core'
import type { Mixing } from '../record/record.js'

/** From this many neighbours on, weights are looked up in a table; for few a linear search is faster. */
const tableFrom = 8

/** The weights of some neighbours. */
class NeighbourWeights {
  readonly names: readonly PeerName[]
  readonly #all: Row['receiveFrom']
  #table: Map<PeerName, number> | undefined

  constructor(all: Row['receiveFrom']) {
    this.names = all.map(({ name }) => name)
    this.#all = all
  }

  /** 0 for a peer that is not among them. */
  of(name: PeerName): number {
    const all = this.#all
    if (all.length >= tableFrom) return this.#indexed.get(name) ?? 0
    for (let index = 0; index < all.length; index++) if (all[index].name === name) return all[index].weight
    return 0
  }

  get #indexed(): Map<PeerName, number> {
    return (this.#table ??= new Map(this.#all.map(({ name, weight }) => [name, weight])))
  }
}

/** A peer's row and column of W, prepared for the rounds that share them. */
class Weights {
  readonly own: number
  readonly offer: number | undefined
  readonly rows: NeighbourWeights
  readonly columns: NeighbourWeights

  constructor({ selfWeight, receiveFrom, sendTo, offer }: Row) {
    this.own = selfWeight
    this.offer = offer
    this.rows = new NeighbourWeights(receiveFrom)
    this.columns = sendTo === receiveFrom ? this.rows : new NeighbourWeights(sendTo)
  }

  get to(): readonly PeerName[] {
    return this.columns.names
  }

  get from(): readonly PeerName[] {
    return this.rows.names
  }
}

/** A peer's row and column of W in a round. */
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
    return this.#weights.rows.of(j)
  }

  column(j: PeerName): number {
    return this.#weights.columns.of(j)
  }

  filed(j: PeerName): number {
    return this.#all.filed(this.round).columns.of(j)
  }

  get filedTo(): readonly PeerName[] {
    return this.#all.filed(this.round).to
  }

  get filedFrom(): readonly PeerName[] {
    return this.#all.filed(this.round).from
  }
}

/** A peer and its rows of W: its fabric. */
type Rows = Pick<Fabric<never>, 'self' | 'neighbours'>

/** The mixing of each round, and all neighbours of the rounds requested so far. */
export class Mixings {
  /** The neighbours of all rows seen, once there are two rows. */
  #neighbours: Set<PeerName> | undefined
  /** Replaces rows where not all peers are usable; returns the topology's own row where nothing changes. */
  repaired: ((round: number) => Row) | undefined
  readonly #fabric: Rows
  /** All rows seen, once there are two. */
  #cache: Map<Row, Weights> | undefined
  /** The last result. A round keeps the row that it began with, even if it ends some rounds later. */
  #current: Mixing | undefined
  /** The last row; often also the next. */
  #row: Row | undefined
  #weights: Weights | undefined

  constructor(fabric: Rows) {
    this.#fabric = fabric
  }

  /** The peers that this one has had to exchange with so far. */
  get neighbours(): ReadonlySet<PeerName> {
    return this.#neighbours ?? new Set([...(this.#weights?.to ?? []), ...(this.#weights?.from ?? [])])
  }

  of(round: number): Mixing {
    if (this.#current?.round === round) return this.#current
    const row = this.repaired === undefined ? this.#fabric.neighbours(round) : this.repaired(round)
    return (this.#current = new MixingRoute(this.#fabric.self, round, this.#weightsOf(row), this))
  }

  /** The topology's row of a round. */
  filed(round: number): Weights {
    return this.#weightsOf(this.#fabric.neighbours(round))
  }

  #weightsOf(row: Row): Weights {
    if (this.#weights !== undefined && this.#row === row) return this.#weights
    const weights = this.#cache?.get(row) ?? this.#addToCache(row)
    this.#row = row
    this.#weights = weights
    return weights
  }

  #addToCache(row: Row): Weights {
    const weights = new Weights(row)
    if (this.#row === undefined || this.#weights === undefined) return weights
    this.#neighbours ??= new Set(this.neighbours)
    for (const name of [...weights.to, ...weights.from]) this.#neighbours.add(name)
    this.#cache ??= new Map([[this.#row, this.#weights]])
    // A topology that creates new rows each time is not cached.
    if (this.#cache.size >= 1024) this.#cache.clear()
    this.#cache.set(row, weights)
    return weights
  }
}
