import { byName, InputError, type PeerName } from '@murmuration/core'
import type { Arrival, Channel, PerPeer, Range, Route, Vector } from '@murmuration/engine'

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
 * The participants, this peer included, and the messages between them. Ranks are counted around a circle, in the order
 * of names or in a given one.
 */
export class Ranks {
  readonly own: number
  /** The part of the round at which the parts of the current call begin. */
  first = 0
  readonly route: Route
  readonly #channel: CollectiveChannel
  readonly #names: readonly PeerName[]

  /** @param order - the names of all participants, and perhaps of others */
  constructor(channel: CollectiveChannel, route: Route, order?: readonly string[]) {
    this.#channel = channel
    this.route = route
    const names = [route.peer, ...route.to].sort(byName)
    this.#names = order === undefined ? names : inOrder(names, order)
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

  rankOf(name: PeerName): number {
    return this.#names.indexOf(name)
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

  /** The next message of this round, in the order of arrival; `awaited` are named when none comes. */
  next(awaited: () => readonly PeerName[], timeouts: number): Promise<Arrival<{ readonly part: Vector }>> {
    return this.#channel.next(awaited, { round: this.route.round, timeouts })
  }

  reject(arrival: Arrival<{ readonly part: Vector }>, reason: string): void {
    this.#channel.reject(arrival, reason)
  }
}

function inOrder(names: readonly PeerName[], order: readonly string[]): readonly PeerName[] {
  const places = new Map(order.map((name, place) => [name, place]))
  const lacking = names.filter((name) => !places.has(name))
  if (lacking.length > 0) throw new InputError(`order: found ${order.join(', ')}, expected ${lacking.join(', ')} too`)
  return [...names].sort((left, right) => (places.get(left) as number) - (places.get(right) as number))
}
