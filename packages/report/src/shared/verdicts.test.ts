import test from 'ava'
import type { Spread } from './page-data.js'
import { verdictOf } from './verdicts.js'

const kinds = ['a', 'b', 'c']
const exactly = (middle: number | null): Spread => ({ middle, low: middle, high: middle })

test('the least median wins, and the factor is what the next best takes over it', (t) => {
  t.deepEqual(verdictOf([exactly(30), exactly(10), exactly(25)], kinds), {
    kind: 'win',
    winner: 1,
    runnerUp: 2,
    factor: 2.5,
    overlap: false
  })
})

test('who never arrives or was not tried cannot be second', (t) => {
  t.deepEqual(verdictOf([exactly(null), exactly(10), null], kinds), { kind: 'alone', winner: 1 })
  t.deepEqual(verdictOf([exactly(null), null], kinds), { kind: 'none' })
})

test('within 1 % is a tie, and beyond is not', (t) => {
  t.is(verdictOf([exactly(100), exactly(100.9)], kinds).kind, 'tie')
  t.is(verdictOf([exactly(100), exactly(101.1)], kinds).kind, 'win')
  t.is(verdictOf([exactly(0), exactly(0)], kinds).kind, 'tie')
})

test('ranges that overlap are told from ranges that do not', (t) => {
  const overlap = (high: number | null, low: number) => {
    const verdict = verdictOf(
      [
        { middle: 10, low: 9, high },
        { middle: 13, low, high: 14 }
      ],
      kinds
    )
    return 'overlap' in verdict && verdict.overlap
  }
  t.false(overlap(11, 12))
  t.true(overlap(12.5, 12))
  t.true(overlap(null, 12), 'a run that never arrived may be beaten by anybody')
})

test('the runner-up is of another kind: fused against itself unfused is no contest', (t) => {
  const pairs = ['all-reduce', 'all-reduce', 'server']
  t.like(verdictOf([exactly(11), exactly(10), exactly(30)], pairs), { winner: 1, runnerUp: 2, factor: 3 })
  t.deepEqual(verdictOf([exactly(11), exactly(10)], pairs), { kind: 'alone', winner: 1 })
})
