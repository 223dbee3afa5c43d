import { peerName } from '@murmuration/core'
import test from 'ava'
import { regionNames, regionPair, regionsOf } from './wan.js'

const pairs = regionNames.flatMap((a, place) => regionNames.slice(place + 1).map((b) => [a, b] as const))

test('all 45 pairs of ten regions are measured, the same in both directions', (t) => {
  t.is(pairs.length, 45)
  for (const [a, b] of pairs) {
    const pair = regionPair(a, b)
    t.true(pair !== undefined && pair.ping > 0 && pair.bandwidth > 0, `${a} ${b}`)
    t.deepEqual(regionPair(b, a), pair)
  }
  t.is(regionPair('Tokyo', 'Tokyo'), undefined)
})

test('one flow gets min(1.1 Gbit/s, 82 Mbit / ping), within 6.7 % in the median, and never 13 % more: a window that limits TCP', (t) => {
  const errors = pairs.map(([a, b]) => {
    const { ping, bandwidth } = regionPair(a, b) ?? { ping: 0, bandwidth: 0 }
    const limit = Math.min(1.1e9, 82e6 / (ping / 1000))
    t.true(bandwidth > 0.6 * limit && bandwidth < 1.13 * limit, `${a} ${b}`)
    return Math.abs(limit / bandwidth - 1)
  })
  const median = errors.sort((left, right) => left - right)[22]
  t.true(Math.abs(median - 0.067) < 0.0005, `the median error is ${median}`)
})

test('peers are placed in the regions in turn, but for those that are given; others are where the first peer is', (t) => {
  const peers = Array.from({ length: 12 }, (_, place) => peerName(`p${place}`))
  const regionOf = regionsOf(peers, { p1: 'Tokyo', server: 'Ohio' })
  t.deepEqual(
    peers.map(regionOf),
    peers.map((_, place) => (place === 1 ? 'Tokyo' : regionNames[place % 10]))
  )
  t.is(regionOf(peerName('server')), 'Ohio')
  t.is(regionOf(peerName('other')), 'Oregon')
  t.is(regionsOf(peers, { p0: 'Seoul' })(peerName('other')), 'Seoul')
})
