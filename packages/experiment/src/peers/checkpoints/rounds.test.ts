import test from 'ava'
import { Halt } from './halt.js'
import { CheckpointRounds } from './interval.js'
import { maxFiles, newestCommon, roundsToKeep } from './retention.js'

const kept = (rounds: readonly number[], others: readonly number[]) => [...roundsToKeep(rounds, others)]

test('the newest two are kept, and what the slowest peer has', (t) => {
  t.deepEqual(kept([10, 20, 30, 40], [40, 40]), [40, 30])
  t.deepEqual(kept([10, 20, 30, 40], [30, 20]), [40, 30, 20])
  t.deepEqual(kept([10, 20, 30, 40], [35]), [40, 30])
  t.deepEqual(kept([10, 20, 30, 40], []), [40, 30])
})

test('of a peer that is dead, its newest round is kept forever, and never more than the most', (t) => {
  let rounds: number[] = []
  for (let round = 10; round <= 1000; round += 10) rounds = kept([...rounds, round], [Math.min(round, 50), round])
  t.is(rounds.length, maxFiles)
  t.deepEqual([rounds.at(0), rounds.at(-1)], [1000, 50])
})

test('nothing is removed before it is known what others have, but for the most', (t) => {
  t.deepEqual(kept([10, 20, 30], [-1, 30]), [30, 20, 10])
  t.is(kept([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [-1]).length, maxFiles)
})

test('the newest common round is one that all have', (t) => {
  t.is(
    newestCommon([
      [30, 20, 10],
      [20, 10],
      [40, 20]
    ]),
    20
  )
  t.is(newestCommon([[30, 10], [20]]), undefined)
  t.is(newestCommon([[], [20]]), undefined)
})

/** The rounds that a peer saves if its round k takes `pace(k)` milliseconds. */
function saved(
  interval: ConstructorParameters<typeof CheckpointRounds>[0],
  pace: (k: number) => number,
  rounds = 1000
) {
  const due = new CheckpointRounds(interval, 0, 0)
  const found: { readonly round: number; readonly time: number }[] = []
  let time = 0
  for (let round = 1; round <= rounds; round++) {
    time += pace(round)
    if (due.isDue(round, time)) found.push({ round, time })
  }
  return found
}

test('an interval in rounds saves its multiples, and the first round, which all have when they are stopped soon', (t) => {
  t.deepEqual(
    saved({ rounds: 250 }, () => 1).map(({ round }) => round),
    [1, 250, 500, 750, 1000]
  )
})

test('the end of training is saved, whatever the interval is', (t) => {
  for (const interval of [{ rounds: 250 }, { time: 1e6 }]) {
    const due = new CheckpointRounds(interval, 0, 0, 60)
    t.deepEqual(
      Array.from({ length: 60 }, (_, round) => round + 1).filter((round) => due.isDue(round, round)),
      [1, 60]
    )
  }
})

test('an interval in time is never longer than that, and peers of different pace save common rounds', (t) => {
  const all = [90, 100, 130, 210, 390].map((pace) => {
    const [first, ...found] = saved({ time: 3000 }, () => pace, 4000)
    t.is(first.round, 1)
    return found
  })
  for (const found of all) {
    const gaps = found.map(({ time }, place) => time - (found[place - 1]?.time ?? 0))
    t.true(Math.max(...gaps) <= 3000)
    t.true(Math.min(...gaps) > 1400)
  }
  const [slowest] = all.slice(-1)
  for (const found of all) {
    const rounds = new Set(found.map(({ round }) => round))
    for (const { round } of slowest.slice(0, -1)) t.true(rounds.has(round) || round % 32 !== 0, `${round}`)
  }
})

test('a first round that takes long makes no more than a few checkpoints too many', (t) => {
  t.true(saved({ time: 3000 }, (k) => (k === 1 ? 5000 : 10), 3000).length < 20)
})

test('a peer that is to halt begins no round, and goes on to the one that it is told', async (t) => {
  const halt = new Halt()
  t.is(halt.request(), undefined, 'it does not train yet')
  t.false(await halt.isDue(4))
  t.is(halt.request(), 5, 'round 4 is under way')
  const waiting = halt.isDue(5)
  halt.stopBefore(7)
  t.false(await waiting)
  t.false(await halt.isDue(6))
  t.true(await halt.isDue(7))
})
