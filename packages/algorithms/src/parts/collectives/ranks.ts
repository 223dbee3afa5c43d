import { byName, type PeerName } from '@murmuration/core'
import type { Channel, PerPeer, Range, Route, Vector } from '@murmuration/engine'

/** A channel that only a collective uses. */
export type CollectiveChannel = Channel<{ readonly part: Vector }>

/** A range of a result. */
export interface RangeMean {
  readonly offset: number
  readonly part: Vector
}

/**
 * The mean over all ranks of their x, range by range, with the same bits at all ranks. Needs reliable delivery.
 *
 * @param ranges - the ranges that each rank owns
 */
export type Collective = (ranks: Ranks, x: Vector, ranges: readonly (readonly Range[])[]) => Promise<RangeMean[]>

const noPeers: readonly PeerName[] = []

/**
 * The participants, this peer included, in the order of names, and the messages between them. Ranks are counted around
 * a circle.
 */
export class Ranks {
  readonly own: number
  /** The part of the round at which the parts of the current call begin. */
  first = 0
  readonly route: Route
  readonly #channel: CollectiveChannel
  readonly #names: readonly PeerName[]

  constructor(channel: CollectiveChannel, route: Route) {
    this.#channel = channel
    this.route = route
    this.#names = [route.peer, ...route.to].sort(byName)
    this.own = this.#names.indexOf(route.peer)
  }

  get count(): number {
    return this.#names.length
  }

  /** The rank at a place around the circle. */
  at(position: number): number {
    return (position + 2 * this.count) % this.count
  }

  /** The names of ranks to send to. */
  to(...ranks: readonly number[]): readonly PeerName[] {
    return ranks.map((rank) => this.#names[this.at(rank)])
  }

  send(to: readonly PeerName[], part: number, range: Range, vector: Vector): void {
    const { peer, round } = this.route
    this.#channel.send({ peer, round, part: this.first + part, range, to, from: noPeers }, { part: vector })
  }

  /** What these peers have sent. */
  receive(from: readonly PeerName[], part: number, range: Range): Promise<PerPeer<{ readonly part: Vector }>> {
    const { peer, round } = this.route
    return this.#channel.collect({ peer, round, part: this.first + part, range, to: noPeers, from })
  }
}
