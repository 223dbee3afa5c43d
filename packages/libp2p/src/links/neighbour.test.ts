import { peerName } from '@murmuration/core'
import test from 'ava'
import type { PeerEvent } from '../base/events.js'
import { Neighbour } from './neighbour.js'
import { Signal } from '../base/signal.js'

/** A neighbour with a clock that the test sets, and its events. */
function neighbour() {
  const time = { now: 0 }
  const events: PeerEvent[] = []
  const clock = { now: () => time.now, at: () => () => {} }
  const emit = (event: PeerEvent) => void events.push(event)
  const subject = new Neighbour(peerName('b'), clock, emit, new Signal())
  return { subject, time, events, kinds: () => events.map(({ kind }) => kind) }
}

test('it is ready when both directions are up, and each change is reported once', (t) => {
  const { subject, kinds } = neighbour()
  subject.set('outgoing', true)
  subject.set('outgoing', true)
  t.is(subject.state, 'connecting')
  subject.set('incoming', true)
  subject.set('incoming', true)
  t.is(subject.state, 'ready')
  subject.set('outgoing', false)
  subject.recordFailure('connection refused')
  t.like(subject.status(3, false), { state: 'connecting', reason: 'connection refused', queue: 3 })
  t.deepEqual(kinds(), ['ready'])
})

test('it is silent after the limit without messages, not counting time in which this process was blocked', (t) => {
  const { subject, time, kinds } = neighbour()
  subject.set('outgoing', true)
  subject.set('incoming', true)
  subject.recordActivity()
  time.now = 30_000
  subject.excuseStall(25_000)
  subject.checkSilence(10_000)
  t.is(subject.state, 'ready')
  time.now = 36_000
  subject.checkSilence(10_000)
  subject.checkSilence(10_000)
  t.like(subject.status(0, false), { state: 'silent', reason: 'not heard for 11 s', silentFor: 11_000 })
  subject.recordActivity()
  t.is(subject.state, 'ready')
  t.deepEqual(kinds(), ['ready', 'silent', 'ready'])
})

test('a neighbour that says hello as another process is ready once more', (t) => {
  const { subject, events } = neighbour()
  subject.meet('x')
  subject.set('incoming', true)
  subject.set('outgoing', true)
  subject.meet('x')
  subject.meet('y')
  t.deepEqual(events, [
    { kind: 'ready', peer: subject.name, incarnation: 'x' },
    { kind: 'ready', peer: subject.name, incarnation: 'y' }
  ])
})

test('a neighbour that refuses or leaves is unavailable until its next valid hello', (t) => {
  const { subject, kinds } = neighbour()
  subject.leave('done')
  t.is(subject.state, 'left')
  subject.refuse({ by: 'them', code: 'settings', reason: 'another run' })
  subject.refuse({ by: 'us', code: 'settings', reason: 'another run' })
  t.true(subject.isUnavailable)
  t.is(subject.state, 'refused')
  subject.accept()
  t.false(subject.isUnavailable)
  t.is(subject.state, 'connecting')
  t.deepEqual(kinds(), ['left', 'refused'])
})
