import test from 'ava'
import { Patience } from './patience.js'

test('a peer waits for others no longer than it may, and begins to wait anew once it has met one', (t) => {
  const patience = new Patience({ start: 2000, pause: 1000 }, 500)
  t.is(patience.exceeded(2500, false), undefined)
  t.is(patience.exceeded(2501, false), 'has waited 2 s for the run to begin')
  t.is(patience.exceeded(1501, true), 'has waited 1 s to continue')
  patience.met(1500)
  t.is(patience.exceeded(2500, true), undefined)
})

test('where others are there a peer waits longer for what it needs of them, but not forever', (t) => {
  const patience = new Patience({ start: 2000, pause: 1000 }, 0)
  t.is(patience.exceeded(32_000, true, 'for the model of a'), undefined)
  patience.met(32_000)
  t.is(patience.exceeded(32_001, true, 'for the model of a'), 'has waited 32 s for the model of a')
})
