import { type Links, type PeerName, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { chainOrder, ringOrder } from './orders.js'
import { linesOf } from './shared-lines.js'
import { drawLinks } from './trees.test.support.js'

const namesOf = (count: number) => Array.from({ length: count }, (_, k) => peerName(`p${10 + k}`))

/** Access lines of some rates, and a thin line around some peers. */
function linksOf(
  rates: ReadonlyMap<PeerName, number>,
  inside: readonly PeerName[] = [],
  latency = (_from: PeerName, _to: PeerName) => 5
): Links {
  const isInside = (name: PeerName) => inside.includes(name)
  const unlimited = Number.POSITIVE_INFINITY
  return {
    access: (name) => ({ up: rates.get(name) ?? 1e9, down: 1e9 }),
    path: (from, to) => ({
      latency: latency(from, to),
      jitter: 0,
      loss: 0,
      bandwidth: unlimited,
      window: unlimited,
      pipes: isInside(from) === isInside(to) ? [] : [{ name: isInside(from) ? 'thin up' : 'thin down', bandwidth: 1e7 }]
    })
  }
}

test('with even links, with slow peers, and for one or two peers the order of names stays', (t) => {
  for (const count of [1, 2, 5, 12]) {
    const peers = namesOf(count)
    t.deepEqual(ringOrder(peers, linksOf(new Map())), peers)
    t.deepEqual(ringOrder(peers, linksOf(new Map([[peers[0], 1e6]]))), peers)
  }
})

test('a ring crosses a thin line once in each direction, whichever peers are behind it', (t) => {
  const random = createRandom(1, 'sites')
  for (const count of [4, 7, 8, 9, 12, 20]) {
    const peers = namesOf(count)
    const inside = peers.filter((_, k) => k === 1 || random.integer(2) === 0)
    const order = ringOrder(peers, linksOf(new Map(), inside))
    t.is(order[0], peers[0])
    t.deepEqual([...order].sort(), peers)
    const isCrossing = (name: PeerName, k: number) => inside.includes(name) !== inside.includes(order[(k + 1) % count])
    t.is(order.filter(isCrossing).length, inside.length === count ? 0 : 2)
  }
})

test('a chain begins at its root, and enters and leaves a site at most once', (t) => {
  const peers = namesOf(7)
  const inside = peers.filter((_, k) => k % 2 === 0)
  for (const root of peers) {
    const order = chainOrder(peers, linksOf(new Map(), inside), root)
    t.is(order[0], root)
    const isIn = order.map((name) => inside.includes(name))
    for (const side of [true, false])
      t.true(isIn.filter((each, k) => k > 0 && each === side && isIn[k - 1] !== side).length <= 1)
  }
})

test('among orders that are as fast, the one with the least latency is taken', (t) => {
  const peers = namesOf(6)
  // Peers lie on a line, the names at random.
  const places = [0, 5, 2, 4, 1, 3]
  const latency = (from: PeerName, to: PeerName) => Math.abs(places[peers.indexOf(from)] - places[peers.indexOf(to)])
  const order = ringOrder(peers, linksOf(new Map(), [], latency))
  const sum = order.reduce((all, name, k) => all + latency(name, order[(k + 1) % 6]), 0)
  t.is(sum, 10, 'there and back')
})

/** Every order in which the first of these peers stays first. */
function* everyOrder(count: number, order: readonly number[] = [0]): Iterable<readonly number[]> {
  if (order.length === count) yield order
  for (let next = 1; next < count; next++) if (!order.includes(next)) yield* everyOrder(count, [...order, next])
}

test('a ring of nine peers, whose orders are searched, not tried, carries as much as the best of all orders', (t) => {
  // Of these the order of names is not the best.
  for (const seed of [10, 12, 23, 34, 85]) {
    const peers = namesOf(9)
    const links = drawLinks(seed, 9)
    const { rates, uses } = linesOf(peers, links)
    const timeOf = (order: readonly number[]) => {
      const loads = rates.map(() => 0)
      for (const [k, from] of order.entries()) for (const line of uses[from][order[(k + 1) % 9]] ?? []) loads[line]++
      return Math.max(...loads.map((load, line) => load / rates[line]))
    }
    let best = Infinity
    for (const order of everyOrder(9)) best = Math.min(best, timeOf(order))
    const found = timeOf(ringOrder(peers, links).map((name) => peers.indexOf(name)))
    t.true(found <= best * (1 + 1e-9), `seed ${seed}: ${found}, best ${best}`)
  }
})
