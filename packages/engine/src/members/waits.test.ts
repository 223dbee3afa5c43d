/** How long others take, and what follows from it. */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { Pace } from './pace.js'
import { Waits } from './waits.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('the timeout of a round is four usual ones, at least 5 s, and no longer than that of the run', (t) => {
  const waits = new Waits()
  t.is(waits.roundTimeout(30_000), 30_000)
  for (let round = 0; round < 8; round++) waits.end(round, { from: [a], without: [] }, 0, 100 * round)
  t.is(waits.roundTimeout(30_000), 5000)
  t.is(waits.roundTimeout(2000), 2000)
  t.is(waits.roundTimeout(30_000, 2), 6250)
  for (let round = 8; round < 30; round++) waits.end(round, { from: [a], without: [] }, 0, 3000 * round)
  t.is(waits.roundTimeout(30_000), 12_000)
})

test('where peers exchange every nine rounds, a usual round is the time from one exchange to the next', (t) => {
  const waits = new Waits()
  for (let k = 1; k < 9; k++) waits.end(9 * k - 1, { from: [a], without: [] }, 0, 2000 * k)
  t.is(waits.roundTimeout(30_000), 8000)
  waits.setAwaited([a], 16_000)
  t.deepEqual(waits.end(80, { from: [a, b], without: [a] }, 16_000, 24_000), [[a, 6000]])
})

test('the time of rounds that a peer leaves out is no usual round', (t) => {
  const waits = new Waits()
  for (const [k, round] of [0, 1, 2, 12, 22, 32, 42, 43, 44].entries())
    waits.end(round, { from: [a], without: [] }, 0, k < 3 ? 2000 * k : 20_000 * k)
  for (const round of [45, 46, 47, 48]) waits.end(round, { from: [a], without: [] }, 0, 160_000 + 2000 * (round - 44))
  t.is(waits.roundTimeout(30_000), 8000)
})

test('a peer has cost the time that it was waited for beyond all whose message came, also one that has answered', (t) => {
  const waits = new Waits()
  waits.setAwaited([a, b, c], 1000)
  waits.setAwaited([b, c], 1200)
  waits.setAwaited([c], 4200)
  t.deepEqual(waits.end(0, { from: [a, b, c], without: [b, c] }, 1000, 6200), [
    [b, 3000],
    [c, 5000]
  ])
  waits.setAwaited([a, b], 7000)
  waits.setAwaited([a], 7100)
  t.deepEqual(waits.end(1, { from: [a, b], without: [b] }, 7000, 9000), [])
  t.deepEqual(waits.end(2, { from: [a, b], without: [b] }, 9000, 9900), [], 'nobody was waited for')
})

test('SKIP is an answer: it costs nothing within half of the timeout of a round, and as much as silence after it', (t) => {
  const waits = new Waits()
  const lostAfter = (wait: number) => {
    waits.setAwaited([a, b], 0)
    waits.setAwaited([a], wait)
    return waits.end(0, { from: [a, b], without: [a, b], skipped: [b] }, 0, 5000, 5000)
  }
  t.deepEqual(lostAfter(2400), [[a, 5000]])
  t.deepEqual(lostAfter(2500), [
    [a, 5000],
    [b, 2500]
  ])
})

test('whom a peer has waited for when all others were there is known, also of those that always answer at last', (t) => {
  const waits = new Waits()
  for (const round of [0, 1]) {
    waits.setAwaited([a, b, c], 0)
    waits.setAwaited([b, c], 100)
    waits.setAwaited([c], 300)
    waits.setAwaited([], 4000)
    waits.end(round, { from: [a, b, c], without: [] }, 0, 4000)
  }
  t.deepEqual([...waits.alone], [[c, 7400]])
})

test('others are no farther than twice their pace takes them', (t) => {
  const pace = new Pace()
  pace.observe([{ name: a, round: 100 }], 0)
  t.is(pace.farthest([{ name: a, isIn: true }], a, 500), 100)
  pace.observe([{ name: a, round: 110 }], 500)
  pace.observe([{ name: b, round: 1_000_000 }], 500)
  t.is(pace.farthest([{ name: a, isIn: true }], a, 500), 150)
  t.is(pace.farthest([{ name: a, isIn: true }], a, 1000), 170)
})

test('others are expected where their pace takes them, a few rounds on at most, whatever one of them says', (t) => {
  const pace = new Pace()
  const all = [a, b, c].map((name) => ({ name, isIn: true }))
  pace.observe([{ name: a, round: 100 }], 0)
  t.is(pace.expected(all, 500, 4), 100)
  for (const name of [a, b]) pace.observe([{ name, round: 110 }], 500)
  pace.observe([{ name: b, round: 111 }], 510)
  t.is(pace.expected([all[0]], 600, 4), 112)
  t.is(pace.expected([all[0]], 9000, 4), 114)
  pace.observe([{ name: c, round: 1_000_000 }], 510)
  t.is(pace.expected(all.slice(1), 600, 4), 111)
  t.is(pace.expected([], 600, 4), 0)
})
