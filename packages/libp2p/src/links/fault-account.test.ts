import { Budget, peerName } from '@murmuration/core'
import test from 'ava'
import type { PeerEvent } from '../base/events.js'
import { FaultAccount, faultCount } from './fault-account.js'

function account() {
  const clock = { time: 0, now: () => clock.time, at: () => () => {} }
  const events: PeerEvent[] = []
  const limits = { badFrames: 3, initialShutOut: 1_000, maxShutOut: 5_000 }
  return { clock, events, faults: new FaultAccount(peerName('m'), clock, (event) => events.push(event), limits) }
}

test('every third small fault and each grave one ends the streams, and the shut-out doubles each time', (t) => {
  const { clock, events, faults } = account()
  t.deepEqual(
    [1, 2, 3].map(() => faults.add('message', 'x', false)),
    [false, false, true]
  )
  t.false(faults.isShutOut)
  for (const wait of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    t.true(faults.add('gap', 'y', true))
    t.is(faults.shutOutUntil, clock.time + wait)
    clock.time += wait
    t.false(faults.isShutOut)
  }
  t.deepEqual(faults.read(), { kinds: { message: 3, gap: 5 }, cutOff: 6 })
  t.is(faultCount(faults.read()), 8)
  t.is(events.filter(({ kind }) => kind === 'shut-out').length, 5)
})

test('a kind of fault is reported once a minute, with the count since', (t) => {
  const { clock, events, faults } = account()
  for (let k = 0; k < 20_000; k++) faults.add('flood', `${k}`, true)
  const lines = () => events.filter(({ kind }) => kind === 'bad-frame')
  faults.flush()
  t.is(lines().length, 1)
  clock.time = 60_000
  faults.flush()
  faults.flush()
  t.is(lines().length, 2)
  t.like(lines()[1], { fault: 'flood', count: 19_999, detail: '19999' })
  t.is(events.length, 3)
})

test('a budget can be spent at once, and then one unit per interval', (t) => {
  const clock = { time: 0, now: () => clock.time, at: () => () => {} }
  const budget = new Budget(clock, 3, 10)
  const spent = (count: number) => Array.from({ length: count }, () => budget.spend()).filter(Boolean).length
  t.is(spent(10), 3)
  clock.time = 25
  t.is(spent(10), 2)
  clock.time = 1e6
  t.is(spent(10), 3)
})
