import type { Links, PeerName } from '@murmuration/core'
import { linesOf, type SharedLines } from './shared-lines.js'

/** Up to so many peers all orders are tried. */
const maxTried = 8
/** Beyond so many the order of names stays: the search takes the cube of their number. */
const maxSearched = 128
/** Less than this fraction of a difference is rounding. */
const equal = 1e-9

/**
 * The order of a ring in which the lines carry most: every hop carries the same, so the line that most hops share for
 * its rate limits all. Among those that are as fast, the one with the least sum of latencies; else that of the names.
 * All orders are tried up to 8 peers; beyond, those that swapping, reversing and moving finds.
 *
 * @param peers - in the order of names; the first stays first
 */
export function ringOrder(peers: readonly PeerName[], links: Links): readonly PeerName[] {
  return bestOrder(peers, links, peers.length)
}

/** The same for a chain from `root` on, whose last peer sends nothing. */
export function chainOrder(peers: readonly PeerName[], links: Links, root: PeerName): readonly PeerName[] {
  const first = peers.indexOf(root)
  return bestOrder([...peers.slice(first), ...peers.slice(0, first)], links, peers.length - 1)
}

function bestOrder(peers: readonly PeerName[], links: Links, hops: number): readonly PeerName[] {
  if (peers.length <= 2 || peers.length > maxSearched) return peers
  const search = new OrderSearch(linesOf(peers, links), links, hops)
  if (peers.length <= maxTried) search.tryAll()
  else search.improve()
  return search.best.map((peer) => peers[peer])
}

/** What an order costs: the time of a bit on the dearest line, and the sum of latencies. */
interface OrderCost {
  readonly time: number
  readonly latency: number
}

class OrderSearch {
  best: readonly number[]
  readonly #lines: SharedLines
  readonly #latencies: readonly (readonly number[])[]
  readonly #hops: number
  #cost: OrderCost

  constructor(lines: SharedLines, links: Links, hops: number) {
    const { peers } = lines
    this.#lines = lines
    this.#latencies = peers.map((from) => peers.map((to) => (from === to ? 0 : links.path(from, to).latency)))
    this.#hops = hops
    this.best = [...peers.keys()]
    this.#cost = this.#costOf(this.best)
  }

  tryAll(): void {
    const rest = this.best.slice(1)
    const place = (start: number): void => {
      if (start === rest.length) return void this.#try([0, ...rest])
      for (let index = start; index < rest.length; index++) {
        const [next] = rest.splice(index, 1)
        rest.splice(start, 0, next)
        place(start + 1)
        rest.splice(start, 1)
        rest.splice(index, 0, next)
      }
    }
    place(0)
  }

  improve(): void {
    let isBetter = true
    while (isBetter) {
      isBetter = false
      for (let i = 1; i < this.best.length; i++)
        for (let j = i + 1; j < this.best.length; j++)
          for (const order of changed(this.best, i, j)) isBetter = this.#try(order) || isBetter
    }
  }

  #try(order: readonly number[]): boolean {
    const cost = this.#costOf(order)
    const isFaster = cost.time < this.#cost.time * (1 - equal)
    const isAsFast = cost.time <= this.#cost.time * (1 + equal)
    if (!isFaster && !(isAsFast && cost.latency < this.#cost.latency * (1 - equal))) return false
    this.best = order
    this.#cost = cost
    return true
  }

  #costOf(order: readonly number[]): OrderCost {
    const { rates, uses } = this.#lines
    const loads = new Float64Array(rates.length)
    let latency = 0
    let time = 0
    for (let hop = 0; hop < this.#hops; hop++) {
      const from = order[hop]
      const to = order[(hop + 1) % order.length]
      latency += this.#latencies[from][to]
      if (uses[from][to] === undefined) time = Number.POSITIVE_INFINITY
      for (const line of uses[from][to] ?? []) time = Math.max(time, ++loads[line] / rates[line])
    }
    return { time, latency }
  }
}

/** Two places swapped, what lies between them reversed, and either end moved to the other. */
function changed(order: readonly number[], i: number, j: number): readonly (readonly number[])[] {
  const before = order.slice(0, i)
  const between = order.slice(i + 1, j)
  const after = order.slice(j + 1)
  return [
    [...before, order[j], ...between, order[i], ...after],
    [...before, ...order.slice(i, j + 1).reverse(), ...after],
    [...before, ...between, order[j], order[i], ...after],
    [...before, order[j], order[i], ...between, ...after]
  ]
}
