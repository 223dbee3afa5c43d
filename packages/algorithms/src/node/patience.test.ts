import { peerName } from '@murmuration/core'
import test from 'ava'
import { Patience } from './patience.js'

const donor = peerName('a')

test('a peer waits for others no longer than it may, and begins to wait anew once there was one to ask', (t) => {
  const patience = new Patience({ start: 2000, pause: 1000 }, 500)
  t.is(patience.exceeded(2500, false, undefined), undefined)
  t.is(patience.exceeded(2501, false, undefined), 'has waited 2 s for the run to begin')
  t.is(patience.exceeded(1501, true, undefined), 'has waited 1 s to continue')
  patience.asked(1500)
  t.is(patience.exceeded(2500, true, undefined), undefined)
})

test('a peer that can ask another for its model goes on asking, but not forever', (t) => {
  const patience = new Patience({ start: 2000, pause: 1000 }, 0)
  t.is(patience.exceeded(32_000, true, donor), undefined)
  patience.asked(32_000)
  t.is(patience.exceeded(32_001, true, donor), 'has waited 32 s for the model of a')
})
