import { byName, type PeerName } from '@murmuration/core'
import type { Range, Vector } from '../node/vector.js'
import type { Channel, PerPeer, Route } from '../record.js'

/** A channel that a collective has for itself. */
export type RangeChannel = Channel<{ readonly part: Vector }>

/** A range of a result. */
export interface RangeMean {
  readonly offset: number
  readonly part: Vector
}

/**
 * The mean over all ranks of everybody's x, range by range, with the same bits everywhere. Needs reliable delivery.
 *
 * @param ranges - the ranges of each rank
 */
export type Collective = (ranks: Ranks, x: Vector, ranges: readonly (readonly Range[])[]) => Promise<RangeMean[]>

const nobody: readonly PeerName[] = []

/** Those who take part, oneself included, in the order of names, and what they send one another. Ranks are counted around a circle. */
export class Ranks {
  readonly own: number
  /** The part of the round that the parts of a call are counted from. */
  first = 0
  readonly route: Route
  readonly #channel: RangeChannel
  readonly #names: readonly PeerName[]

  constructor(channel: RangeChannel, route: Route) {
    this.#channel = channel
    this.route = route
    this.#names = [route.peer, ...route.to].sort(byName)
    this.own = this.#names.indexOf(route.peer)
  }

  get count(): number {
    return this.#names.length
  }

  /** The rank that is so many places further on. */
  at(place: number): number {
    return (place + 2 * this.count) % this.count
  }

  /** Whom to send to. */
  to(...ranks: readonly number[]): readonly PeerName[] {
    return ranks.map((rank) => this.#names[this.at(rank)])
  }

  send(to: readonly PeerName[], part: number, range: Range, vector: Vector): void {
    const { peer, round } = this.route
    this.#channel.send({ peer, round, part: this.first + part, range, to, from: nobody }, { part: vector })
  }

  /** What these have sent. */
  receive(from: readonly PeerName[], part: number, range: Range): Promise<PerPeer<{ readonly part: Vector }>> {
    const { peer, round } = this.route
    return this.#channel.collect({ peer, round, part: this.first + part, range, to: nobody, from })
  }
}
