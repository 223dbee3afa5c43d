import { peerName, type Wire } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { type Churn, drawChurn, expectedCrashes } from './churn.js'
import { Simulation } from './simulation.js'
import { uniformLinks } from './simulation-options.js'

const peers = Array.from({ length: 1000 }, (_, place) => peerName(`p${place}`))
const churn: Churn = { perMinute: 0.3, back: 20_000, after: 10_000, until: 310_000 }
const draw = (seed: number, of: Churn = churn) => drawChurn(createRandom(seed, 'churn'), peers, of)

test('of those that are there, so many crash in a minute as is said, and the number of those that are away settles', (t) => {
  const events = draw(1)
  const crashes = events.filter(({ kind }) => kind === 'crash')
  // 5 minutes with 91 to 100 % present: 1364 to 1500 are expected, give or take 3 standard deviations of 38.
  t.true(crashes.length > 1250 && crashes.length < 1500, String(crashes.length))
  const before = events.filter(({ at }) => at < churn.until)
  const away = before.filter(({ kind }) => kind === 'crash').length * 2 - before.length
  // 1 in 11, give or take 3 standard deviations of 9.
  t.true(away > 64 && away < 118, String(away))
  t.is(expectedCrashes(1000, churn), 1500)
})

test('a peer crashes and comes back by turns, within the time, and all come back', (t) => {
  const events = draw(2)
  t.deepEqual(
    events,
    [...events].sort((left, right) => left.at - right.at)
  )
  for (const peer of peers.slice(0, 100)) {
    const own = events.filter((event) => 'peer' in event && event.peer === peer)
    t.true(own.every(({ kind, at }, place) => kind === (place % 2 === 0 ? 'crash' : 'restart') && at >= churn.after))
    t.is(own.length % 2, 0)
  }
  t.true(events.every(({ kind, at }) => kind === 'restart' || at < churn.until))
})

test('a seed gives the same churn, whoever else takes part; without a way back each crashes once', (t) => {
  t.deepEqual(draw(3), draw(3))
  t.notDeepEqual(draw(3), draw(4))
  const few = drawChurn(createRandom(3, 'churn'), peers.slice(0, 10), churn)
  const names = new Set<string>(peers.slice(0, 10))
  t.deepEqual(
    few,
    draw(3).filter((event) => 'peer' in event && names.has(event.peer))
  )
  const gone = draw(3, { ...churn, back: undefined })
  t.true(gone.every(({ kind }) => kind === 'crash'))
  t.is(new Set(gone.map((event) => 'peer' in event && event.peer)).size, gone.length)
})

test('a run whose time is up does not wait for those that would have come back later', async (t) => {
  const wire: Wire<number> = { byteLength: () => 1, payloadLength: () => 1, copy: (value) => value }
  const few = peers.slice(0, 2)
  const topology = { peers: few, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const events = [
    { at: 20, kind: 'crash', peer: few[0] },
    { at: 5000, kind: 'restart', peer: few[0] }
  ] as const
  const options = { topology, seed: 1, wire, links: uniformLinks({}), cost: () => 0, until: 100 }
  const begun: string[] = []
  const simulation = new Simulation({ ...options, faults: { rules: [], events } }, async (fabric) => {
    begun.push(fabric.self)
    await fabric.sleep(1000)
  })
  await simulation.run()
  t.deepEqual(begun, [...few])
  t.is(simulation.now(), 100)
})
