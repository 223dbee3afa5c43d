import { peerName } from '@murmuration/core'
import test from 'ava'
import { defaultLimits } from '../base/constants.js'
import { type MonitoredPeer, Heartbeat } from './heartbeat.js'
import { Neighbour } from './neighbour.js'
import { Signal } from '../base/signal.js'

const { heartbeat: interval, silentAfter } = defaultLimits

/** A clock that the test sets. */
function timeOf() {
  const time = { now: 0 }
  return { time, clock: { now: () => time.now, at: () => () => {} } }
}

/** Peers that are all neighbours and beat one after the other, and the number of pings that they send each other. */
function world(size: number, areStanding = true) {
  const { time, clock } = timeOf()
  const events: string[] = []
  const names = Array.from({ length: size }, (_, index) => peerName(`p${index}`))
  const emit = ({ kind }: { readonly kind: string }) => void (kind === 'ready' || events.push(kind))
  const seen = names.map(() => names.map((name) => new Neighbour(name, clock, emit, new Signal())))
  const count = { pings: 0 }
  const hear = (self: number, other: number) => seen[self][other].recordActivity()
  const member = (self: number, other: number): MonitoredPeer => {
    const neighbour = seen[self][other]
    neighbour.set('outgoing', true)
    neighbour.set('incoming', areStanding)
    neighbour.recordActivity()
    const ping = () => {
      count.pings++
      hear(other, self)
      hear(self, other)
      return time.now
    }
    return { neighbour, outgoing: { ping, closeIfIdle: () => {} }, cut: () => void events.push(`cut ${names[other]}`) }
  }
  const beats = names.map((_, self) => {
    const others = names.flatMap((name, other) => (other === self ? [] : [[name, member(self, other)] as const]))
    return new Heartbeat(defaultLimits, new Map(others), clock)
  })
  let longest = 0
  /** Lets all peers beat `rounds` times at equal intervals, and calls `before` ahead of each beat. */
  const run = (rounds: number, before: () => void = () => {}) => {
    for (let step = 0; step < rounds * size; step++) {
      time.now += interval / size
      before()
      for (const neighbour of seen[step % size]) longest = Math.max(longest, neighbour.silentFor)
      beats[step % size].beat()
    }
  }
  return { count, events, run, seen, longest: () => longest }
}

for (const size of [2, 8, 64]) {
  test(`of ${size} idle peers, each receives pings from all long before any counts as silent`, (t) => {
    const { events, run, longest } = world(size)
    run(30)
    t.deepEqual(events, [])
    t.true(longest() <= silentAfter / 3 + interval, `${longest()} ms`)
  })
}

test('64 peers send less than a third of one ping per neighbour and beat', (t) => {
  const { count, run } = world(64)
  run(60)
  t.true(count.pings < (60 * 64 * 63) / 3, `${count.pings} of ${60 * 64 * 63}`)
})

test('neighbours that send vectors are pinged in turn, one per beat', (t) => {
  const { count, run, seen } = world(8)
  run(20, () => {
    for (const neighbour of seen.flat()) neighbour.recordActivity()
  })
  t.is(count.pings, 20 * 8)
})

test('no ping is sent before both directions are up', (t) => {
  const { count, run } = world(4, false)
  run(10)
  t.is(count.pings, 0)
})
