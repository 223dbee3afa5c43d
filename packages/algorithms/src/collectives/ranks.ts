import { byName, type PeerName } from '@murmuration/core'
import { type Range, rangeOf, type Vector } from '../node/vector.js'
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
 * @param shares - the ranges that belong to each rank
 */
export type Collective = (ranks: Ranks, x: Vector, shares: readonly (readonly Range[])[]) => Promise<RangeMean[]>

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

  send(to: readonly number[], part: number, range: Range, vector: Vector): void {
    this.#channel.send(this.#hop(part, range, to, to), { part: vector })
  }

  /** Sends a range of x. */
  sendRange(to: number, part: number, range: Range, x: Vector): void {
    this.send([to], part, range, rangeOf(x, range))
  }

  async receive(from: number, part: number, range: Range): Promise<Vector> {
    const theirs = await this.#channel.collect(this.#hop(part, range, [], [from]))
    return theirs[this.#names[this.at(from)]].part
  }

  /** What all others sent. */
  gather(part: number, range: Range): Promise<PerPeer<{ readonly part: Vector }>> {
    const { from } = this.route
    return this.#channel.collect({ ...this.route, part: this.first + part, range, from })
  }

  #hop(part: number, range: Range, to: readonly number[], from: readonly number[]): Route {
    const { peer, round } = this.route
    const namesOf = (ranks: readonly number[]) => ranks.map((rank) => this.#names[this.at(rank)])
    return { peer, round, part: this.first + part, range, to: namesOf(to), from: namesOf(from) }
  }
}
